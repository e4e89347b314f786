// never: violated
byte x; active proctype P(){ x = 1 }
never { printf("a\n"); printf("b\n") }
