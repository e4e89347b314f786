// states: 13
// assertions: hold
// deadlocks: none
byte n;
inline f(k) { if :: n >= k -> goto out :: else fi; n = k; out: n++ }
active proctype P() { f(3); assert(n == 4); f(6); assert(n == 7); f(2); assert(n == 8) }
