// states: 13
// assertions: hold
// deadlocks: none
chan c = [0] of { byte };
proctype P(byte k) { c!k }
init { atomic { run P(1); run P(2) } }
init { byte x; c?x; c?x }
