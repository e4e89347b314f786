/* The MSI protocol: caches over one bus that is granted to a requester at a time; rendezvous to the bus. */
#define N 3

mtype = { invalid, shared, modified, read, write };
mtype line[N] = invalid;
byte copy[N];
byte memory;
chan bus = [0] of { mtype, byte };
chan done[N] = [0] of { bit };

active [N] proctype cache() {
  do
  :: line[_pid] == invalid ->
     bus!read(_pid);
     done[_pid]?_
  :: line[_pid] != modified ->
     bus!write(_pid);
     done[_pid]?_
  :: line[_pid] == modified -> copy[_pid] = (copy[_pid] + 1) % 4
  :: line[_pid] == shared -> line[_pid] = invalid
  :: line[_pid] == modified ->
     atomic { line[_pid] == modified -> memory = copy[_pid]; line[_pid] = invalid }
  od
}

active proctype snoop() {
  mtype kind;
  byte from;
  byte each;
  do
  :: bus?kind(from);
     each = 0;
     do
     :: each < N ->
        atomic {
          if
          :: each != from && line[each] == modified -> memory = copy[each]
          :: else
          fi;
          if
          :: each == from
          :: each != from && kind == write -> line[each] = invalid
          :: each != from && kind == read && line[each] == modified -> line[each] = shared
          :: else
          fi
        };
        each++
     :: each == N -> break
     od;
     copy[from] = memory;
     if
     :: kind == read -> line[from] = shared
     :: kind == write -> line[from] = modified
     fi;
     done[from]!0
  od
}
