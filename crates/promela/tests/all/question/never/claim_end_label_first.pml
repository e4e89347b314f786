// never: violated
byte x; active proctype P(){ do :: x = 1 - x od }
never { end0: do :: x == 5 od }
