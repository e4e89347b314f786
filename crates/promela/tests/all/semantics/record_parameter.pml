// states: 6
typedef T { byte a; byte b }; byte x;
proctype P(T t) { x=t.b }
init { T q; q.b=3; run P(q) }
