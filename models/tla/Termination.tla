----------------------------- MODULE Termination -----------------------------
(***************************************************************************)
(* Termination detection on a ring, after Dijkstra, Feijen and van         *)
(* Gasteren. Machines work and give work to others. A token goes round     *)
(* against the numbers: a machine passes it on when it is idle. Who has    *)
(* given work to another one is dark, a dark machine makes the token dark, *)
(* and only a light token that comes back to an idle, light machine 0      *)
(* says that nobody works.                                                 *)
(***************************************************************************)
EXTENDS Naturals
CONSTANTS N, Careless
VARIABLES works, dark, at, token
vars == <<works, dark, at, token>>

Machine == 0..N-1

TypeOK ==
  /\ works \in [Machine -> BOOLEAN]
  /\ dark \in [Machine -> BOOLEAN]
  /\ at \in Machine
  /\ token \in {"light", "dark"}

Init ==
  /\ works \in [Machine -> BOOLEAN]
  /\ dark = [m \in Machine |-> FALSE]
  /\ at = 0
  /\ token = "dark"

\* Machine 0 begins another round.
Start ==
  /\ at = 0 /\ ~works[0]
  /\ token = "dark" \/ dark[0]
  /\ at' = N - 1
  /\ token' = "light"
  /\ dark' = [dark EXCEPT ![0] = FALSE]
  /\ UNCHANGED works

Pass(m) ==
  /\ m # 0 /\ at = m /\ ~works[m]
  /\ at' = m - 1
  /\ token' = IF dark[m] THEN "dark" ELSE token
  /\ dark' = [dark EXCEPT ![m] = FALSE]
  /\ UNCHANGED works

\* Careless machines do not remember to whom they gave work.
Give(m, to) ==
  /\ works[m] /\ m # to
  /\ works' = [works EXCEPT ![to] = TRUE]
  /\ dark' = [dark EXCEPT ![m] = dark[m] \/ (to > m /\ ~Careless)]
  /\ UNCHANGED <<at, token>>

Rest(m) ==
  /\ works[m]
  /\ works' = [works EXCEPT ![m] = FALSE]
  /\ UNCHANGED <<dark, at, token>>

Round == Start \/ \E m \in Machine : Pass(m)
Next == Round \/ \E m \in Machine : Rest(m) \/ \E to \in Machine : Give(m, to)

\* Only the token has to move: work may go on for ever.
Spec == Init /\ [][Next]_vars /\ WF_vars(Round)
UnfairSpec == Init /\ [][Next]_vars

Idle == \A m \in Machine : ~works[m]
Detected == at = 0 /\ token = "light" /\ ~works[0] /\ ~dark[0]

Right == Detected => Idle
Found == Idle ~> Detected
ForGood == [](Idle => []Idle)
=============================================================================
