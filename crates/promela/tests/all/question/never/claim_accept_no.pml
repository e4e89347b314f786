// never: holds
byte x; active proctype P(){ do :: x = 1 - x od }
never { S: do :: true :: x == 1 -> goto accept od; accept: do :: x == 1 od }
