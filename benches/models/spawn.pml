/* Work is split among processes started and ended at run time: states of many lengths. */
#define JOBS 4
#define AT_ONCE 3

byte running;
byte finished;
byte total;

proctype worker(byte job; byte depth) {
  byte sum;
  byte step;
  do
  :: step < 2 -> sum = sum + job; step++
  :: step == 2 -> break
  od;
  if
  :: depth > 0 && _nr_pr <= AT_ONCE + 1 -> atomic { running++; run worker(job, depth - 1) }
  :: total = (total + sum) % 4
  fi;
  atomic { running--; finished = (finished + 1) % 8 }
}

init {
  byte job;
  do
  :: job < JOBS && running < AT_ONCE ->
     atomic { running++; run worker(job % 3, 1); job++ }
  :: job == JOBS && running == 0 -> break
  od
}
