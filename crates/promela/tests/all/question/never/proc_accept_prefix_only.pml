// never: holds
byte x; active proctype P(){ accept_here: x = 1; do :: x = 3 - x od }
never { do :: true od }
