// states: 12
// assertions: hold
// deadlocks: none
byte n;
active proctype Low() priority 1 { do :: n < 3 -> n++ :: else -> break od }
active proctype High() priority 5 { n == 2; n = 9; set_priority(0, 9); n = 1 }
