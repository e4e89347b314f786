// never: violated
byte x; active proctype P(){ accept_here: do :: x = 1 - x od }
never { do :: true od }
