// traces: violated
mtype = { a, b };
chan q = [1] of { mtype };
notrace { q!a; q?_; q!b; q?b }
active proctype P() { do :: q!a :: q!b od }
active proctype Q() { do :: q?_ od }
