// states: 54
// assertions: violated
// deadlocks: none
byte n;
inline f() { if :: n == 1 -> goto done :: else -> n++ fi; n++; done: skip }
inline g() { if :: n == 2 -> goto done :: else -> n++ fi; n = n + 2; done: n = 7 }
active proctype P() { f(); g(); assert(n == 7) }
active proctype Q() { n = 1 }
