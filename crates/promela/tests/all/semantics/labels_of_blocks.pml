// states: 8
// assertions: hold
// deadlocks: none
byte n;
active proctype P() {
  { goto done; n = 9; done: n = 1 };
  { goto done; n = 4; done: n = n + 2 };
  atomic { if :: n == 3 -> goto done :: else fi; n = 0; done: n++ };
  assert(n == 4)
}
