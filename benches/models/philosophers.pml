/* Dining philosophers who take the left fork first; the deadlock is among the states. */
#define N 7

bool taken[N];

active [N] proctype philosopher() {
  bit meals;
  do
  :: atomic { !taken[_pid] -> taken[_pid] = true };
     atomic { !taken[(_pid + 1) % N] -> taken[(_pid + 1) % N] = true };
     meals = 1 - meals;
     taken[_pid] = false;
     taken[(_pid + 1) % N] = false
  od
}
