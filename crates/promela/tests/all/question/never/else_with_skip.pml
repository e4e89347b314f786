// never: holds
byte x; active proctype P(){ do :: x = (x + 1) % 4 od }
never { if :: true -> x == 9 :: else -> skip fi }
