/* Messages taken round in one step: each sorter turns the shared queue until it has seen all of it. */
chan ring = [16] of { byte, byte };
byte passes;

proctype sorter(byte me) {
  byte i, key, value;
  do
  :: atomic {
       passes < 120 ->
       passes++;
       i = 0;
       do
       :: i < 32 ->
          ring?key,value;
          if
          :: value < me -> value++
          :: else -> value = (value + me) % 3
          fi;
          ring!key,value;
          i++
       :: else -> break
       od;
       ring?key,value;
       ring!key,value;
       i = 0; key = 0; value = 0
     }
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. 15) { ring!i,(i % 3) }
    i = 0;
    run sorter(1);
    run sorter(2);
    run sorter(3)
  }
}
