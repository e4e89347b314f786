// states: 12
// assertions: hold
// deadlocks: none
chan q = [2] of { byte, byte, byte };
byte x;
active proctype P() {
  q!1,2,3;
  q!4,5,6;
  if :: q??[4] -> x++ fi;
  if :: q??[4,6] -> x++ :: q??[4,5] -> x = x + 3 fi;
  if :: q?[eval(x - 3),2] -> x++ fi;
  q??<4,x>;
  assert(x == 5 && len(q) == 2)
}
