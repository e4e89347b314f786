// states: 30
// assertions: hold
// deadlocks: none
typedef msg { byte a; bool b };
chan q = [3] of { msg };
active proctype P() {
  msg m;
  byte sum, i;
  byte w[3];
  m.a = 2; q!m; m.a = 3; q!m;
  for (m in q) { sum = sum + m.a };
  for (i in w) { w[i] = i };
  assert(sum == 5)
}
