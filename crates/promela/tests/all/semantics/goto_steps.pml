// states: 40
// assertions: hold
// deadlocks: none
byte n;
active proctype P() {
  do
  :: n < 3 -> n++; goto again
  :: goto out
  :: n == 2 -> break
  od;
again:
  n++;
out:
  skip
}
active proctype Q() { n = 1; n = 0 }
