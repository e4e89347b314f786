// states: 23
// assertions: hold
// deadlocks: none
byte n;
active proctype P() { do :: n < 2 -> n++ :: timeout -> break od }
active proctype Q() { timeout; n = 0 }
