// states: 3
// traces: hold
mtype = { a, b };
chan q = [1] of { mtype };
trace { do :: q!a; q?a :: q!b; q?b od }
active proctype P() { do :: q!a :: q!b od }
active proctype Q() { do :: q?_ od }
