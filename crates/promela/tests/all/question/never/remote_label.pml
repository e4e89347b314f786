// never: violated
byte x; active proctype P(){ x = 1; here: x = 2 }
never { do :: P[0]@here -> break :: else od }
