// never: holds
byte x; active proctype P(){ do :: x = 1 - x od }
never { do :: timeout -> break :: else od }
