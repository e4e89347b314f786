-------------------------------- MODULE Ring --------------------------------
(***************************************************************************)
(* Leader election on a ring. Every node sends its number to the next one; *)
(* a node passes on numbers that are greater than its own, and leads if    *)
(* its own comes back. Channels may lose a message that the sender then    *)
(* sends again: delivery must be strongly fair, since what is in a channel *)
(* comes and goes.                                                         *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets
CONSTANT N
VARIABLES sent, channel, leader
vars == <<sent, channel, leader>>

ASSUME N \in Nat /\ N > 0

Node == 1..N
Successor(i) == (i % N) + 1

TypeOK ==
  /\ sent \in [Node -> SUBSET Node]
  /\ channel \in [Node -> SUBSET Node]
  /\ leader \in SUBSET Node

\* What a node has to send: at first its own number.
Init ==
  /\ sent = [i \in Node |-> {i}]
  /\ channel = [i \in Node |-> {}]
  /\ leader = {}

Send(i, n) ==
  /\ n \in sent[i]
  /\ n \notin channel[Successor(i)]
  /\ channel' = [channel EXCEPT ![Successor(i)] = @ \cup {n}]
  /\ UNCHANGED <<sent, leader>>

Lose(i, n) ==
  /\ n \in channel[i]
  /\ channel' = [channel EXCEPT ![i] = @ \ {n}]
  /\ UNCHANGED <<sent, leader>>

Receive(i, n) ==
  /\ n \in channel[i]
  /\ channel' = [channel EXCEPT ![i] = @ \ {n}]
  /\ sent' = IF n > i THEN [sent EXCEPT ![i] = @ \cup {n}] ELSE sent
  /\ leader' = IF n = i THEN leader \cup {i} ELSE leader

Next == \E i, n \in Node : Send(i, n) \/ Lose(i, n) \/ Receive(i, n)

Fair == \A i, n \in Node : WF_vars(Send(i, n)) /\ SF_vars(Receive(i, n))
Spec == Init /\ [][Next]_vars /\ Fair
WeakSpec == Init /\ [][Next]_vars /\ \A i, n \in Node : WF_vars(Send(i, n)) /\ WF_vars(Receive(i, n))

OneLeader == Cardinality(leader) <= 1
Greatest == leader \subseteq {N}
Elected == <>(leader # {})
ForGood == [][leader \subseteq leader']_vars
=============================================================================
