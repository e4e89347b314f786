// states: 7
// assertions: hold
// deadlocks: none
chan q = [1] of { byte, byte };
chan r = [0] of { byte, byte };
byte x;
active proctype P() { r!1,3; q!1,3 }
active proctype Q() {
  if :: r?2 -> x = 1 :: r?x,_ fi;
  if :: q?2 -> x = 9 :: q?[1] -> x = 4 fi
}
