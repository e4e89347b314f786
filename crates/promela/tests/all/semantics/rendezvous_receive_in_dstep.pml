// states: 6
// assertions: hold
// deadlocks: none
chan c = [0] of { byte };
byte n;
active proctype S() { c!5; n = 1 }
active proctype R() { byte v; d_step { c?v; n = n + v } }
