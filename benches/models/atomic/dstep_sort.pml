/* A bubble sort inside of `d_step`, again and again after a neighbour has disturbed the order. */
byte row[9];
byte steps;

active proctype sorter() {
  byte i, j, swap;
  do
  :: d_step {
       steps < 30 ->
       steps++;
       i = 0;
       do
       :: i < 8 ->
          j = 0;
          do
          :: j < 8 - i ->
             if
             :: row[j] > row[j + 1] ->
                swap = row[j];
                row[j] = row[j + 1];
                row[j + 1] = swap
             :: else
             fi;
             j++
          :: else -> break
          od;
          i++
       :: else -> break
       od;
       i = 0; j = 0; swap = 0
     }
  od
}

active proctype neighbour() {
  byte at;
  do
  :: at < 8 -> at++
  :: atomic { row[at] < 1 -> row[at]++; at = 0 }
  :: atomic { row[at] > 0 -> row[at]--; at = 0 }
  od
}
