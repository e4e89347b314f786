// states: 5866
// assertions: hold
// deadlocks: none
byte n, m;
active proctype P() {
  { { do :: n++ :: n > 1 -> break od } unless { m == 1 -> n = 7 } } unless { m == 2; n = 8 };
  skip
}
active proctype Q() { m = 1; m = 2; m = 0 }
