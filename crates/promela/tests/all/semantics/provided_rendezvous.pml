// states: 7
// assertions: hold
// deadlocks: some
chan c = [0] of { byte };
bool on;
active proctype S() { do :: c!1 od }
active proctype R() provided (on) { byte v; do :: c?v od }
active proctype T() { on = true; on = false }
