// assertions: violated
byte x;
active proctype P() { d_step { do :: x = 1 - x od } }
