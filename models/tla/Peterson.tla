------------------------------ MODULE Peterson ------------------------------
(***************************************************************************)
(* Peterson's mutual exclusion of two processes: who wants to enter lets   *)
(* the other one go first. It needs nothing but weak fairness of the steps *)
(* of each process that is not at rest, and who has waited is overtaken at *)
(* most once.                                                              *)
(***************************************************************************)
EXTENDS Naturals
VARIABLES pc, wants, first
vars == <<pc, wants, first>>

Process == {0, 1}
Other(p) == 1 - p

TypeOK ==
  /\ pc \in [Process -> {"rest", "defer", "wait", "inside"}]
  /\ wants \in [Process -> BOOLEAN]
  /\ first \in Process

Init ==
  /\ pc = [p \in Process |-> "rest"]
  /\ wants = [p \in Process |-> FALSE]
  /\ first \in Process

Go(p, from, to) == pc[p] = from /\ pc' = [pc EXCEPT ![p] = to]

Want(p) == Go(p, "rest", "defer") /\ wants' = [wants EXCEPT ![p] = TRUE] /\ UNCHANGED first
Defer(p) == Go(p, "defer", "wait") /\ first' = Other(p) /\ UNCHANGED wants
Enter(p) ==
  /\ ~wants[Other(p)] \/ first = p
  /\ Go(p, "wait", "inside")
  /\ UNCHANGED <<wants, first>>
Leave(p) == Go(p, "inside", "rest") /\ wants' = [wants EXCEPT ![p] = FALSE] /\ UNCHANGED first

Next == \E p \in Process : Want(p) \/ Defer(p) \/ Enter(p) \/ Leave(p)

Safe == Init /\ [][Next]_vars
Spec == Safe /\ \A p \in Process : WF_vars(Defer(p) \/ Enter(p) \/ Leave(p))
\* One process may stop wherever it is.
HalfSpec == Safe /\ WF_vars(Defer(0) \/ Enter(0) \/ Leave(0))

Exclusion == ~(pc[0] = "inside" /\ pc[1] = "inside")
Entry == \A p \in Process : pc[p] = "defer" ~> pc[p] = "inside"
\* Whoever waits enters before the other one has entered and comes again.
Overtaken == [][\A p \in Process : Enter(Other(p)) => ~(pc[p] = "wait" /\ first = p)]_vars
=============================================================================
