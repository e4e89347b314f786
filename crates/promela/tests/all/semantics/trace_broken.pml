// traces: violated
mtype = { a, b };
chan q = [1] of { mtype };
trace { do :: q!a; q?a od }
active proctype P() { do :: q!a :: q!b od }
active proctype Q() { do :: q?_ od }
