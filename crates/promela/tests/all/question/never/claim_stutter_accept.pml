// never: violated
byte x; active proctype P(){ x = 1 }
never { do :: x == 0 :: x == 1 -> goto accept od; accept: do :: x == 1 od }
