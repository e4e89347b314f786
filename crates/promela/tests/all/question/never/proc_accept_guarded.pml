// never: holds
byte x; active proctype P(){ accept_here: do :: x = 1 - x od }
never { do :: x == 0 -> x == 0 od }
