// never: violated
byte x; active proctype P(){ do :: x = (x + 1) % 4 od }
never { T0: if :: x == 3 -> goto accept_all :: true -> goto T0 fi; accept_all: skip }
