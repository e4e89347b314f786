----------------------------- MODULE RingBuffer -----------------------------
(***************************************************************************)
(* A queue in an array: `first` is the place of the oldest item, `count`   *)
(* says how many there are. Taking an item is two steps: it is copied, and *)
(* then its place is given free. That this is a queue (module Fifo), with  *)
(* its fairness, is asked with the sequence that the array stands for.     *)
(***************************************************************************)
EXTENDS Naturals, Sequences
CONSTANTS Item, Size, Early
VARIABLES slot, first, count, copied, out
vars == <<slot, first, count, copied, out>>

ASSUME Size \in Nat /\ Size > 0

Place == 0..Size-1
Nothing == <<>>

TypeOK ==
  /\ slot \in [Place -> Item]
  /\ first \in Place
  /\ count \in 0..Size
  /\ copied \in {Nothing} \cup {<<x>> : x \in Item}
  /\ out \in {Nothing} \cup {<<x>> : x \in Item}

Init ==
  /\ slot \in {[p \in Place |-> x] : x \in Item}
  /\ first = 0
  /\ count = 0
  /\ copied = Nothing
  /\ out = Nothing

Put(x) ==
  /\ count < Size
  /\ slot' = [slot EXCEPT ![(first + count) % Size] = x]
  /\ count' = count + 1
  /\ UNCHANGED <<first, copied, out>>

\* With Early the place is given free before the item is read.
Begin ==
  /\ count > 0 /\ copied = Nothing
  /\ copied' = <<slot[first]>>
  /\ IF Early
       THEN first' = (first + 1) % Size /\ count' = count - 1
       ELSE UNCHANGED <<first, count>>
  /\ UNCHANGED <<slot, out>>

End ==
  /\ copied # Nothing
  /\ out' = IF Early THEN <<slot[(first + Size - 1) % Size]>> ELSE copied
  /\ copied' = Nothing
  /\ IF Early
       THEN UNCHANGED <<first, count>>
       ELSE first' = (first + 1) % Size /\ count' = count - 1
  /\ UNCHANGED slot

Next == Begin \/ End \/ \E x \in Item : Put(x)

Spec == Init /\ [][Next]_vars /\ WF_vars(Begin) /\ WF_vars(End)
UnfairSpec == Init /\ [][Next]_vars /\ WF_vars(Begin)

Queue == INSTANCE Fifo WITH queue <- [i \in 1..count |-> slot[(first + i - 1) % Size]]
IsQueue == Queue!Spec
Moves == count = Size ~> count < Size
=============================================================================
