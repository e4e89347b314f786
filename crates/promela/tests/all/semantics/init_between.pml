// states: 97
// assertions: hold
// deadlocks: some
byte n;
active proctype P() { n == 2 }
init { byte i; for (i : 1 .. 2) { n++ }; assert(_pid == 1) }
init { n == 1 -> n = 2; assert(_pid == 2) }
