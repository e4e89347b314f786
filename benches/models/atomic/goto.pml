/* An atomic stretch written with `goto`: a walker of a small machine executes its whole program. */
byte memory[6];
byte runs;

proctype machine(byte seed) {
  byte pc, a;
  do
  :: atomic {
       runs < 40 ->
       runs++;
       pc = 0;
       a = seed;
next:
       if
       :: pc >= 60 -> goto halt
       :: pc < 60 && pc % 3 == 0 -> a = (a + memory[(pc + 1) % 6]) % 5; pc++; goto next
       :: pc < 60 && pc % 3 == 1 -> memory[pc % 6] = (memory[pc % 6] + a) % 7; pc++; goto next
       :: pc < 60 && pc % 3 == 2 -> a = (a * 3 + 1) % 5; pc++; goto next
       fi;
halt:
       pc = 0;
       a = 0
     }
  od
}

init {
  atomic { run machine(1); run machine(2); run machine(4) }
}
