// never: holds
byte x; active proctype P(){ x = 1; x = 2 }
never { do :: x == 3 -> break :: else od }
