// states: 5
// assertions: hold
// deadlocks: none
// A `goto` in front of the call makes the label of the inline that of the body: the jump of the
// inline leaves it.
byte n;
inline f() { if :: n == 0 -> goto done :: else fi; n = 1; done: skip }
active proctype P() {
  if :: n == 5 -> goto done :: else fi;
  f();
  n = n + 10;
done:
  assert(n == 0)
}
