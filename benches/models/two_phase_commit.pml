/* Two-phase commit: a coordinator, participants that may refuse, and buffered mailboxes. */
#define N 5

mtype = { prepare, yes, no, commit, abort, finished };
chan mailbox[N] = [2] of { mtype };
chan replies = [N] of { mtype, byte };

active proctype coordinator() {
  byte each;
  byte answers;
  byte who;
  bool refused;
  do
  :: each = 0;
     do
     :: each < N -> mailbox[each]!prepare; each++
     :: each == N -> break
     od;
     answers = 0;
     refused = false;
     do
     :: replies?yes(who) -> answers++
     :: replies?no(who) -> answers++; refused = true
     :: answers == N -> break
     od;
     each = 0;
     do
     :: each < N && !refused -> mailbox[each]!commit; each++
     :: each < N && refused -> mailbox[each]!abort; each++
     :: each == N -> break
     od;
     answers = 0;
     do
     :: replies?finished(who) -> answers++
     :: answers == N -> break
     od;
     who = 0
  od
}

active [N] proctype participant() {
  mtype order;
  do
  :: mailbox[_pid - 1]?prepare;
     if
     :: replies!yes(_pid)
     :: replies!no(_pid)
     fi;
     mailbox[_pid - 1]?order;
     replies!finished(_pid);
     order = 0
  od
}
