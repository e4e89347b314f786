/* Long atomic loops: each worker mixes a small table in one step that no other sees the middle of.
 * A stretch is some two hundred statements with one successor each. */
#define SIZE 5

byte table[SIZE];
byte turns;

proctype worker(byte factor) {
  byte i, sum;
  do
  :: atomic {
       turns < 30 ->
       turns++;
       i = 0;
       sum = 0;
       do
       :: i < 64 ->
          sum = sum + factor * table[i % SIZE];
          i++
       :: else -> break
       od;
       table[sum % SIZE] = (table[sum % SIZE] + factor) % 3;
       i = 0;
       sum = 0
     }
  od
}

active proctype noise() {
  byte at;
  do
  :: at < SIZE - 1 -> at++
  :: at > 0 -> at = 0
  :: table[at] = (table[at] + 1) % 3
  od
}

init {
  atomic { run worker(1); run worker(2) }
}
