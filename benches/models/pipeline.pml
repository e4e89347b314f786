/* A pipeline of stages that hand numbers on by rendezvous; a stage may hold and transform one. */
#define STAGES 4
#define VALUES 3

chan pipe[STAGES + 1] = [0] of { byte };

active [STAGES] proctype stage() {
  byte item;
  do
  :: pipe[_pid]?item;
     if
     :: item = (item + 1) % VALUES
     :: item > 0 -> item--
     :: skip
     fi;
     pipe[_pid + 1]!item;
     item = 0
  od
}

active proctype source() {
  byte item;
  do
  :: pipe[0]!item; item = (item + 1) % VALUES
  od
}

active proctype sink() {
  byte item;
  do
  :: pipe[STAGES]?item
  od
}
