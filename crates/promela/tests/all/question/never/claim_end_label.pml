// never: violated
byte x; active proctype P(){ do :: x = 1 - x od }
never { do :: x == 1 -> goto endx :: else od; endx: do :: true od }
