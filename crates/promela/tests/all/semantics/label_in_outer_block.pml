// states: 20
// assertions: hold
// deadlocks: none
byte n;
active proctype P() {
again:
  {
    n++;
    if :: n < 3 -> goto again :: n >= 3 && n < 5 -> goto inner :: else fi;
    n = 20;
inner:
    skip
  };
  if :: n < 5 -> goto again :: else fi;
  assert(n == 20)
}
