// states: 14
// assertions: hold
// deadlocks: none
active proctype P() {
  skip;
  byte x;
  do
  :: x < 2 -> byte y = x; y++; x = y
  :: else -> break
  od;
  byte a[2] = 3
}
