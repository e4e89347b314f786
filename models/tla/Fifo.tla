-------------------------------- MODULE Fifo --------------------------------
(***************************************************************************)
(* A queue of at most Size items, as a sequence: what RingBuffer is.       *)
(***************************************************************************)
EXTENDS Naturals, Sequences
CONSTANTS Item, Size
VARIABLES queue, out

Init == queue = <<>> /\ out = <<>>

Put(x) == Len(queue) < Size /\ queue' = Append(queue, x) /\ UNCHANGED out
Get == queue # <<>> /\ out' = <<Head(queue)>> /\ queue' = Tail(queue)

Next == Get \/ \E x \in Item : Put(x)
Spec == Init /\ [][Next]_<<queue, out>> /\ WF_<<queue, out>>(Get)
=============================================================================
