// never: violated
byte x; active proctype P(){ do :: x = 1 - x od }
never { do :: true :: np_ -> goto accept od; accept: do :: np_ od }
