/* A `for` of a hundred inside of `atomic`: three clocks that advance a shared counter the slow way. */
byte level[3];
short total;

proctype clock(byte me) {
  byte i;
  do
  :: atomic {
       total < 90 ->
       for (i : 1 .. 100) {
         total = total + (i % 2);
         total = total - (i % 2)
       }
       level[me] = (level[me] + 1) % 20;
       total++;
       i = 0
     }
  od
}

init {
  atomic { run clock(0); run clock(1); run clock(2) }
}
