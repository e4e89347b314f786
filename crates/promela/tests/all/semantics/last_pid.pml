// states: 28
// assertions: hold
// deadlocks: some
byte n;
active proctype A() { do :: n < 2 && _last != _pid -> n++ :: n == 2 -> break od }
active proctype B() { do :: n < 2 -> n = 1 - n :: n == 2 -> break od }
