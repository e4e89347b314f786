/* Leader election in a one-way ring: the greatest identity comes round. Buffered channels. */
#define N 8

chan link[N] = [N] of { byte };
byte leader;

active [N] proctype node() {
  byte heard;
  byte own;
  own = 1 + (_pid * 5 + 2) % N;
  link[(_pid + 1) % N]!own;
  do
  :: link[_pid]?heard;
     if
     :: heard > own -> link[(_pid + 1) % N]!heard
     :: heard < own -> heard = 0
     :: heard == own -> leader = own; break
     fi
  od
}
