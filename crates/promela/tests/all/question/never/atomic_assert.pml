// never: violated
byte x; active proctype P(){ do :: x = (x + 1) % 4 od }
never { do :: atomic { x == 3 -> assert(!(x == 3)) } :: true od }
