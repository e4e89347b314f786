/* An elevator, its doors and passengers who call, ride and leave. */
#define FLOORS 5
#define PASSENGERS 2

mtype = { up, down };
byte floor;
mtype direction = up;
bool open;
bool called[FLOORS];
byte aboard;

active proctype cabin() {
  do
  :: atomic { called[floor] && !open -> open = true }
  :: atomic { open && called[floor] -> called[floor] = false }
  :: atomic { open && !called[floor] -> open = false }
  :: !open && !called[floor] && direction == up ->
     if
     :: floor < FLOORS - 1 -> floor++
     :: else -> direction = down
     fi
  :: !open && !called[floor] && direction == down ->
     if
     :: floor > 0 -> floor--
     :: else -> direction = up
     fi
  od
}

active [PASSENGERS] proctype passenger() {
  byte at;
  byte goal;
  do
  :: select (goal : 0 .. FLOORS - 1);
     if
     :: goal != at
     :: else -> goto done
     fi;
     called[at] = true;
     atomic { open && floor == at -> aboard++ };
     called[goal] = true;
     atomic { open && floor == goal -> aboard--; at = goal };
done: skip
  od
}
