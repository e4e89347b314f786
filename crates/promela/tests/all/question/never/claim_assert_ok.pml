// never: holds
byte x; active proctype P(){ do :: x = (x + 1) % 3 od }
never { do :: assert(x != 3) od }
