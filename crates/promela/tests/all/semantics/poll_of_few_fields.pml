// states: 6
// assertions: hold
// deadlocks: none
mtype = { red, green };
chan q = [2] of { mtype, byte };
byte x;
active proctype P() { q!red(3); if :: q?[red] -> x = 1 :: else -> x = 2 fi; assert(x == 1) }
