// states: 14
byte x;
active proctype P() { x == 1; x++; x == 5 }
active proctype Q() { x = 1; x = pc_value(0) }
