// states: 91
byte x;
active [2] proctype P(){ byte k; L: k++; x=k; M: skip; if :: P[1-_pid]@M -> x=10 :: P[1-_pid]:k==1 -> x=11 :: P@L -> x=12 :: else fi }
