------------------------------ MODULE Semaphore ------------------------------
(***************************************************************************)
(* Processes share one semaphore. A waiting process can enter whenever the *)
(* semaphore is free, and it is free again and again, but never all the    *)
(* time: the others take it. Weak fairness of Enter is therefore not       *)
(* enough for a process to enter; strong fairness is.                      *)
(***************************************************************************)
CONSTANT Proc
VARIABLES at, free
vars == <<at, free>>

TypeOK ==
  /\ at \in [Proc -> {"idle", "waiting", "critical"}]
  /\ free \in BOOLEAN

Init ==
  /\ at = [p \in Proc |-> "idle"]
  /\ free = TRUE

Ask(p) ==
  /\ at[p] = "idle"
  /\ at' = [at EXCEPT ![p] = "waiting"]
  /\ UNCHANGED free

Enter(p) ==
  /\ at[p] = "waiting"
  /\ free
  /\ at' = [at EXCEPT ![p] = "critical"]
  /\ free' = FALSE

Leave(p) ==
  /\ at[p] = "critical"
  /\ at' = [at EXCEPT ![p] = "idle"]
  /\ free' = TRUE

Next == \E p \in Proc : Ask(p) \/ Enter(p) \/ Leave(p)

\* Nobody has to ask; whoever is inside leaves.
Unfair == Init /\ [][Next]_vars
Weak == Unfair /\ \A p \in Proc : WF_vars(Enter(p)) /\ WF_vars(Leave(p))
Spec == Unfair /\ \A p \in Proc : SF_vars(Enter(p)) /\ WF_vars(Leave(p))

Apart == \A p, q \in Proc : at[p] = "critical" /\ at[q] = "critical" => p = q
Entry == \A p \in Proc : at[p] = "waiting" ~> at[p] = "critical"
\* Somebody enters, if somebody waits: here weak fairness will do.
Progress == (\E p \in Proc : at[p] = "waiting") ~> (\E p \in Proc : at[p] = "critical")
=============================================================================
