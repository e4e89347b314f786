// states: 20
// assertions: hold
// deadlocks: none
byte n;
active [2] proctype P() {
  atomic { n++; if :: n > 1 -> goto out :: else fi; n++ };
  n--;
out:
  skip
}
