------------------------------ MODULE TwoPhase ------------------------------
(***************************************************************************)
(* Two-phase commit. Messages are never taken away; whoever has seen one   *)
(* may see it again. Members may abort of themselves until they are        *)
(* prepared; the coordinator may abort as long as it has not committed.    *)
(* The property Refines says that this is a Commit, fairness included.     *)
(***************************************************************************)
CONSTANT Member
VARIABLES state, ready, decision
vars == <<state, ready, decision>>

TypeOK ==
  /\ state \in [Member -> {"working", "prepared", "committed", "aborted"}]
  /\ ready \subseteq Member
  /\ decision \in {"none", "commit", "abort"}

Init ==
  /\ state = [m \in Member |-> "working"]
  /\ ready = {}
  /\ decision = "none"

Prepare(m) ==
  /\ state[m] = "working"
  /\ state' = [state EXCEPT ![m] = "prepared"]
  /\ ready' = ready \cup {m}
  /\ UNCHANGED decision

GiveUp(m) ==
  /\ state[m] = "working"
  /\ state' = [state EXCEPT ![m] = "aborted"]
  /\ UNCHANGED <<ready, decision>>

Decide(d) ==
  /\ decision = "none"
  /\ d = "commit" => ready = Member
  /\ decision' = d
  /\ UNCHANGED <<state, ready>>

Obey(m) ==
  /\ \/ decision = "commit" /\ state[m] = "prepared"
     \/ decision = "abort" /\ state[m] \in {"working", "prepared"}
  /\ state' = [state EXCEPT ![m] = IF decision = "commit" THEN "committed" ELSE "aborted"]
  /\ UNCHANGED <<ready, decision>>

Next ==
  \/ \E d \in {"commit", "abort"} : Decide(d)
  \/ \E m \in Member : Prepare(m) \/ GiveUp(m) \/ Obey(m)

Safe == Init /\ [][Next]_vars
Spec ==
  /\ Safe
  /\ WF_vars(\E d \in {"commit", "abort"} : Decide(d))
  /\ \A m \in Member : WF_vars(Obey(m))

Agreed == \A m, n \in Member : ~(state[m] = "committed" /\ state[n] = "aborted")
Ends == <>(\A m \in Member : state[m] \in {"committed", "aborted"})
\* Wrong: the coordinator may abort although all are ready.
Commits == (ready = Member) ~> (\E m \in Member : state[m] = "committed")

C == INSTANCE Commit
Refines == C!Spec
=============================================================================
