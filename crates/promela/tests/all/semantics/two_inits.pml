// states: 36
// assertions: hold
// deadlocks: none
byte n;
init { byte x; x = 1; n = x }
init { byte x; x = 2; n = n + x }
active proctype P() { assert(_pid == 2) }
