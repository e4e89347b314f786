// states: 51
// assertions: violated
// deadlocks: none
byte n;
inline f() { if :: n == 0 -> goto done :: else fi; n = 1; done: skip }
active proctype P() {
  f();
  if :: n == 5 -> goto done :: else fi;
  n = n + 10;
done:
  assert(n == 10 || n == 11 || n == 12 || n == 5)
}
active proctype Q() { n = 2; n = 5 }
