/* The filter lock: Peterson's algorithm for more than two processes. Shared arrays, local loops. */
#define N 4

byte level[N];
byte last[N];

active [N] proctype process() {
  byte stage;
  byte other;
again:
  stage = 1;
  do
  :: stage < N ->
     level[_pid] = stage;
     last[stage] = _pid;
     other = 0;
     do
     :: other < N ->
        (other == _pid || level[other] < stage || last[stage] != _pid);
        other++
     :: other == N -> break
     od;
     stage++
  :: stage == N -> break
  od;
  level[_pid] = 0;
  goto again
}
