// never: violated
byte x; active proctype P(){ do :: x = (x + 1) % 4 od }
never { do :: x == 2 -> x == 3 -> break :: true od }
