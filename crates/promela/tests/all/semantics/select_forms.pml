// states: 127
// assertions: hold
// deadlocks: none
#define LAST 3
inline pick(v) { select(v : 0 .. 2) }
byte a, b, c;
active proctype P() {
  select(a : 1 .. LAST);
  pick(b);
  select(c : 0 .. a)
}
