// states: 39
// assertions: violated
// deadlocks: some
byte n;
active proctype P() {
  { n++; if :: n < 3 -> goto L :: else fi; L: skip };
  n = 9;
L:
  n++;
  if :: n < 12 -> goto L :: else fi
}
active proctype Q() { P@L -> assert(n == 1) }
