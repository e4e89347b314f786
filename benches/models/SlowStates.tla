---- MODULE SlowStates ----
\* Most states take a microsecond, and one beside each takes some milliseconds: whoever needs the first must not wait for
\* the second. With Steps = 20000 and Far = 2000000000 the second kind takes for ever.
EXTENDS Naturals
CONSTANTS Steps, Far
VARIABLES x, y, t
vars == <<x, y, t>>

Init == x = 0 /\ y = 0 /\ t = 0

Next == \/ t = 0 /\ x < Steps /\ x' = x + 1 /\ UNCHANGED <<y, t>>
        \/ t = 0 /\ x = Steps /\ y' = 1 - y /\ UNCHANGED <<x, t>>
        \/ t = 0 /\ t' = 1 /\ UNCHANGED <<x, y>>
        \/ t = 1 /\ (\A a \in 1..5000 : a + x > 0) /\ t' = 2 /\ UNCHANGED <<x, y>>
        \/ t = 2 /\ t' = (CHOOSE a \in 3..Far : a + x >= Far) /\ UNCHANGED <<x, y>>

Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
InRange == x <= Steps
Returns == []<>(x < 10)
Stays == <>[](x > 0 \/ t > 0)
====
