// states: 1
// assertions: violated
// deadlocks: none
chan c = [0] of { byte };
byte n;
active proctype S() { d_step { c!5; n = 1 } }
active proctype R() { byte v; c?v; n = n + v }
