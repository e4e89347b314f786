// states: 27
short g;
active [2] proctype P() {
  do
  :: (32768 != 1); skip; g = (g + 1) % 3
  od
}
