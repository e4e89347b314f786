// assertions: violated
byte x;
active proctype P() { atomic { do :: x = 1 - x od } }
