// never: holds
byte x; active proctype P(){ x == 4 } active proctype Q() { x = 2; x = 3 }
never { do :: enabled(0) -> break :: else od }
