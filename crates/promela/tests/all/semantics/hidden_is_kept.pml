// assertions: violated
hidden byte h;
active proctype P() { h = 1; assert(h == 0) }
