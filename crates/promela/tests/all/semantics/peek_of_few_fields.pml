// states: 10
// assertions: hold
// deadlocks: none
mtype = { red, green };
chan q = [2] of { mtype, byte };
byte x;
active proctype P() {
  q!red(3);
  if :: q?green -> skip :: q?[red] -> x = 1 fi;
  q?<red>;
  q??<red>;
  if :: q??[green] -> assert(false) :: else fi;
  q?red,x;
  assert(x == 3)
}
