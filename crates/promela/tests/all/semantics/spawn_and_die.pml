// states: 122
// assertions: hold
// deadlocks: none
byte n;
proctype W(byte k) { byte l = k; n++ ; n = n - l / l }
active proctype P() {
  do
  :: _nr_pr < 4 -> run W(1 + n % 2)
  od
}
