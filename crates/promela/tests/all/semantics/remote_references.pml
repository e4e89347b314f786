// states: 41
// assertions: hold
// deadlocks: none
byte n;
active proctype P() { bit x = 1; n = 1; here: x++; goto there; there: goto here }
active proctype Q() { P@here; n = P:x; P[0]@there; n = n + 10 }
