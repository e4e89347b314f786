/* A `for` of two hundred and fifty inside of `d_step`: checksums over a shared block. */
byte block[5];
byte done;

proctype writer(byte me) {
  byte i;
  short sum;
  do
  :: d_step {
       done < 26 ->
       done++;
       sum = 0;
       for (i : 1 .. 250) {
         sum = (sum + block[i % 5]) % 97
       }
       block[(sum + me) % 5] = (block[(sum + me) % 5] + me) % 4;
       sum = 0;
       i = 0
     }
  od
}

init {
  atomic { run writer(1); run writer(2); run writer(3) }
}
