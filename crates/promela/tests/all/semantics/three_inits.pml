// states: 39
// assertions: violated
// deadlocks: none
byte n;
init { n++ }
init { n++ }
active proctype P() { skip }
init { n++; assert(n < 3) }
