/* SPIN refuses to receive two fields into one variable. */
chan q = [1] of { byte, byte };
byte x, y;
active proctype p() {
  q!1,2;
  q?x,x;
  q?_,_;
  q?x,y
}
