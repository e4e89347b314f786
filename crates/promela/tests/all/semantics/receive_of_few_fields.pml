// assertions: violated
mtype = { red, green };
chan q = [2] of { mtype, byte };
active proctype P() { q!red(3); if :: q?green :: q?red fi }
