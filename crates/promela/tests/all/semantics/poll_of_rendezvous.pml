// assertions: violated
chan c = [0] of { byte }; byte x;
active proctype P() { if :: c?[1] -> x = 1 :: x == 0 -> x = 7 fi }
