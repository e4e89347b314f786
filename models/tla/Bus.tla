--------------------------------- MODULE Bus ---------------------------------
(***************************************************************************)
(* N devices want the same bus, over and over. Whoever gets it gives it    *)
(* back. There are few states, but that each device has its turn takes     *)
(* a condition of strong fairness for each of them.                        *)
(***************************************************************************)
EXTENDS Naturals
CONSTANT N
VARIABLES owner, turns
vars == <<owner, turns>>

Device == 1..N
None == 0

\* Whether the number of turns so far is odd.
Init == owner = None /\ turns = FALSE

Grant(d) ==
  /\ owner = None
  /\ owner' = d
  /\ turns' = ~turns

Release ==
  /\ owner # None
  /\ owner' = None
  /\ UNCHANGED turns

Next == Release \/ \E d \in Device : Grant(d)

Steps == Init /\ [][Next]_vars /\ WF_vars(Release)
WeakSpec == Steps /\ \A d \in Device : WF_vars(Grant(d))
Spec == Steps /\ \A d \in Device : SF_vars(Grant(d))

TypeOK == owner \in Device \cup {None} /\ turns \in BOOLEAN
EachInTurn == \A d \in Device : []<>(owner = d)
EachAfterFree == \A d \in Device : (owner = None) ~> (owner = d)
LastLeads == (owner = N) ~> (owner = 1)
=============================================================================
