// states: 3
// assertions: hold
// deadlocks: some
chan c = [0] of { byte };
byte n;
active proctype S() { atomic { n = 1; c!1; n = 2 } }
active proctype R() { byte v; atomic { c?v; n = 3; n = 4 } }
active proctype O() { n == 1; n = 9 }
