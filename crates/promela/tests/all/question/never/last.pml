// never: violated
byte x; active proctype P(){ x = 1 } active proctype Q() { x = 2 }
never { do :: _last == 1 && x == 2 -> break :: else od }
