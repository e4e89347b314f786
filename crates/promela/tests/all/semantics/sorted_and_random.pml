// states: 94
// assertions: hold
// deadlocks: some
chan q = [4] of { byte, byte };
active proctype P() { q!!3,1; q!!1,2; q!!3,0; q!!2,9 }
active proctype R() { byte a; do :: q??3,a :: q?a,_ :: q?<1,a> :: q??[2,9] -> break od }
