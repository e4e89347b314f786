---------------------------- MODULE Philosophers ----------------------------
(***************************************************************************)
(* Dining philosophers who take one fork after the other: first the left   *)
(* one, only the last philosopher the right one, so that they are never    *)
(* all stuck. A fork that somebody waits for comes and goes: its owner may *)
(* take it again each time, and weak fairness asks nothing of that. Strong *)
(* fairness of each Take does: two conditions for each philosopher, and    *)
(* one part of the property for each.                                      *)
(***************************************************************************)
EXTENDS Naturals
CONSTANT N
VARIABLE state
vars == <<state>>

ASSUME N \in Nat /\ N > 1

Philosopher == 0..N-1
Left(p) == (p + N - 1) % N
Right(p) == (p + 1) % N
IsOther(p) == p = N - 1

TypeOK == state \in [Philosopher -> {"thinks", "hungry", "half", "eats"}]

Init == state = [p \in Philosopher |-> "thinks"]

\* Who has a fork: everybody who eats has both, the half of them the first one.
HasLeft(p) == state[p] = "eats" \/ (state[p] = "half" /\ ~IsOther(p))
HasRight(p) == state[p] = "eats" \/ (state[p] = "half" /\ IsOther(p))
LeftIsFree(p) == ~HasRight(Left(p))
RightIsFree(p) == ~HasLeft(Right(p))

Want(p) ==
  /\ state[p] = "thinks"
  /\ state' = [state EXCEPT ![p] = "hungry"]

TakeFirst(p) ==
  /\ state[p] = "hungry"
  /\ IF IsOther(p) THEN RightIsFree(p) ELSE LeftIsFree(p)
  /\ state' = [state EXCEPT ![p] = "half"]

TakeSecond(p) ==
  /\ state[p] = "half"
  /\ IF IsOther(p) THEN LeftIsFree(p) ELSE RightIsFree(p)
  /\ state' = [state EXCEPT ![p] = "eats"]

Done(p) ==
  /\ state[p] = "eats"
  /\ state' = [state EXCEPT ![p] = "thinks"]

Next == \E p \in Philosopher : Want(p) \/ TakeFirst(p) \/ TakeSecond(p) \/ Done(p)

\* To think for ever is allowed, to eat for ever is not.
Steps == Init /\ [][Next]_vars /\ \A p \in Philosopher : WF_vars(Done(p))
WeakSpec == Steps /\ \A p \in Philosopher : WF_vars(TakeFirst(p)) /\ WF_vars(TakeSecond(p))
Spec == Steps /\ \A p \in Philosopher : SF_vars(TakeFirst(p)) /\ SF_vars(TakeSecond(p))

Apart == \A p \in Philosopher : ~(HasRight(p) /\ HasLeft(Right(p)))
NoStarvation == \A p \in Philosopher : state[p] = "hungry" ~> state[p] = "eats"
Somebody == (\E p \in Philosopher : state[p] = "hungry") ~> (\E p \in Philosopher : state[p] = "eats")
=============================================================================
