// states: 20
// assertions: hold
// deadlocks: none
byte n;
active proctype P() {
  do
  :: skip; skip; n++ ; break
  :: printf("x"); skip; skip; skip; n = 2; break
  od
}
active proctype Q() { n = 3 }
