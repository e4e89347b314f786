------------------------------- MODULE Commit -------------------------------
(***************************************************************************)
(* What a transaction is for those who take part in it: each of them works *)
(* and then commits or aborts, for good, and never do two decide           *)
(* differently. How they agree is not said here: TwoPhase does that.       *)
(***************************************************************************)
CONSTANT Member
VARIABLE state

Init == state = [m \in Member |-> "working"]

Prepare(m) ==
  /\ state[m] = "working"
  /\ state' = [state EXCEPT ![m] = "prepared"]

\* All are prepared, or have committed already.
Decided(m) ==
  \/ /\ state[m] = "prepared"
     /\ \A n \in Member : state[n] \in {"prepared", "committed"}
     /\ state' = [state EXCEPT ![m] = "committed"]
  \/ /\ state[m] \in {"working", "prepared"}
     /\ \A n \in Member : state[n] # "committed"
     /\ state' = [state EXCEPT ![m] = "aborted"]

Next == \E m \in Member : Prepare(m) \/ Decided(m)

Spec == Init /\ [][Next]_state /\ \A m \in Member : WF_state(Decided(m))
=============================================================================
