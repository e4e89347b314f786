------------------------------ MODULE Election ------------------------------
(***************************************************************************)
(* Leaders are elected in terms, as in Raft. A server whose patience ends  *)
(* begins the next term and votes for itself; the others vote for at most  *)
(* one candidate in a term, and follow whoever shows them a later one. Two *)
(* leaders in one term would need two majorities. But candidates can split *)
(* the votes of each term for ever. In the end somebody leads if things    *)
(* calm down: from then on only one server loses its patience.             *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets
CONSTANTS Server, Patient, Terms
VARIABLES term, role, votedFor, votes, calm
vars == <<term, role, votedFor, votes, calm>>

ASSUME Patient \in Server /\ Terms \in Nat

Nobody == "nobody"
Latest == CHOOSE t \in 0..Terms :
            (\E s \in Server : term[s] = t) /\ \A s \in Server : term[s] <= t
IsMajority(S) == 2 * Cardinality(S) > Cardinality(Server)

TypeOK ==
  /\ term \in [Server -> 0..Terms]
  /\ role \in [Server -> {"follows", "stands", "leads"}]
  /\ votedFor \in [Server -> Server \cup {Nobody}]
  /\ votes \in [Server -> SUBSET Server]
  /\ calm \in BOOLEAN

Init ==
  /\ term = [s \in Server |-> 0]
  /\ role = [s \in Server |-> "follows"]
  /\ votedFor = [s \in Server |-> Nobody]
  /\ votes = [s \in Server |-> {}]
  /\ calm = FALSE

\* Nobody is disturbed who leads in the latest term.
Stand(s) ==
  /\ role[s] # "leads"
  /\ term[s] < Terms
  /\ calm => /\ s = Patient
             /\ ~\E l \in Server : role[l] = "leads" /\ term[l] = Latest
             /\ role[s] = "follows"
  /\ term' = [term EXCEPT ![s] = IF calm THEN Latest + 1 ELSE @ + 1]
  /\ role' = [role EXCEPT ![s] = "stands"]
  /\ votedFor' = [votedFor EXCEPT ![s] = s]
  /\ votes' = [votes EXCEPT ![s] = {s}]
  /\ UNCHANGED calm

Vote(s, c) ==
  /\ s # c /\ role[c] = "stands"
  /\ \/ term[c] > term[s]
     \/ term[c] = term[s] /\ votedFor[s] = Nobody
  /\ term' = [term EXCEPT ![s] = term[c]]
  /\ role' = [role EXCEPT ![s] = "follows"]
  /\ votedFor' = [votedFor EXCEPT ![s] = c]
  /\ votes' = [votes EXCEPT ![c] = @ \cup {s}, ![s] = {}]
  /\ UNCHANGED calm

Win(s) ==
  /\ role[s] = "stands" /\ IsMajority(votes[s])
  /\ role' = [role EXCEPT ![s] = "leads"]
  /\ UNCHANGED <<term, votedFor, votes, calm>>

\* Whoever stood and has not won gives up, and may stand again later.
GiveUp(s) ==
  /\ role[s] = "stands" /\ term[s] < Latest
  /\ role' = [role EXCEPT ![s] = "follows"]
  /\ votes' = [votes EXCEPT ![s] = {}]
  /\ UNCHANGED <<term, votedFor, calm>>

CalmDown ==
  /\ ~calm /\ Latest < Terms
  /\ role[Patient] = "follows"
  /\ calm' = TRUE
  /\ UNCHANGED <<term, role, votedFor, votes>>

Next == CalmDown \/ \E s \in Server : Stand(s) \/ Win(s) \/ GiveUp(s) \/ \E c \in Server : Vote(s, c)

Fair ==
  /\ \A s \in Server : WF_vars(Win(s))
  /\ \A s, c \in Server : WF_vars(Vote(s, c))
Spec == Init /\ [][Next]_vars /\ Fair /\ WF_vars(Stand(Patient))
\* The one that is left may have patience for ever.
LazySpec == Init /\ [][Next]_vars /\ Fair

OnePerTerm == \A s, t \in Server :
  role[s] = "leads" /\ role[t] = "leads" /\ term[s] = term[t] => s = t
Somebody == \E s \in Server : role[s] = "leads"
Elected == calm ~> Somebody
Anyway == <>Somebody
Later == [][\A s \in Server : term'[s] >= term[s]]_vars
=============================================================================
