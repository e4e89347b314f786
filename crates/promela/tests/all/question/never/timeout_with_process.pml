// never: violated
byte x; active proctype P(){ do :: timeout -> x = 1 - x od }
never { do :: timeout -> break :: else od }
