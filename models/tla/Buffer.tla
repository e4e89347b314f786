------------------------------- MODULE Buffer -------------------------------
(***************************************************************************)
(* Producers and consumers share a buffer and sleep where they cannot go   *)
(* on. Whoever puts or gets something wakes one sleeper, whichever: that   *)
(* may be one of its own kind, who goes back to sleep, and the wake-up     *)
(* is lost. With WakeAll = TRUE everybody is woken, and nothing is lost.   *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets
CONSTANTS Producers, Consumers, Capacity, WakeAll
VARIABLES buffer, asleep
vars == <<buffer, asleep>>

ASSUME Producers \cap Consumers = {}
ASSUME Capacity \in Nat /\ Capacity > 0

Threads == Producers \cup Consumers

TypeOK ==
  /\ buffer \in Seq(Producers)
  /\ Len(buffer) <= Capacity
  /\ asleep \subseteq Threads

Init == buffer = <<>> /\ asleep = {}

Wake ==
  IF asleep = {} THEN UNCHANGED asleep
  ELSE IF WakeAll THEN asleep' = {}
  ELSE \E t \in asleep : asleep' = asleep \ {t}

Sleep(t) == asleep' = asleep \cup {t} /\ UNCHANGED buffer

Put(p) ==
  /\ p \notin asleep
  /\ IF Len(buffer) < Capacity
     THEN buffer' = Append(buffer, p) /\ Wake
     ELSE Sleep(p)

Get(c) ==
  /\ c \notin asleep
  /\ IF buffer # <<>>
     THEN buffer' = Tail(buffer) /\ Wake
     ELSE Sleep(c)

Next == (\E p \in Producers : Put(p)) \/ (\E c \in Consumers : Get(c))

Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

SomeoneAwake == asleep # Threads
\* Things come out as they went in: a step puts one behind, or takes the first.
InOrder ==
  [][\/ UNCHANGED buffer
     \/ buffer # <<>> /\ buffer' = Tail(buffer)
     \/ \E p \in Producers : buffer' = Append(buffer, p)]_vars
\* The buffer changes again and again.
Works == []<><<buffer' # buffer>>_buffer
=============================================================================
