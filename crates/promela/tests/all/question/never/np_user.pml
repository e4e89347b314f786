// never: holds
byte x; active proctype P(){ x = 1; progress: x = 2 }
never { do :: true :: np_ -> goto accept od; accept: do :: np_ od }
