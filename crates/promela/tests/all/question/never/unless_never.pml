// never: holds
byte x; active proctype P(){ do :: x = (x + 1) % 4 od }
never { do :: x < 9 od unless { x == 7 } }
