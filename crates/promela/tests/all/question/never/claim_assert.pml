// never: violated
byte x; active proctype P(){ do :: x = (x + 1) % 4 od }
never { do :: assert(x != 3) od }
