--------------------------- MODULE AlternatingBit ---------------------------
(***************************************************************************)
(* The alternating bit protocol. Messages and acknowledgements go through  *)
(* wires that hold one thing each and may lose it. The sender sends again  *)
(* until the bit of its message comes back. A wire that loses everything   *)
(* delivers nothing: receiving must be strongly fair, since what is in the *)
(* wire comes and goes.                                                    *)
(***************************************************************************)
EXTENDS Naturals
CONSTANT Data
VARIABLES message, bit, wire, expected, delivered, ack
vars == <<message, bit, wire, expected, delivered, ack>>

Empty == <<>>
Bit == {0, 1}

TypeOK ==
  /\ message \in Data
  /\ bit \in Bit
  /\ wire \in {Empty} \cup {<<d, b>> : d \in Data, b \in Bit}
  /\ expected \in Bit
  /\ delivered \in {Empty} \cup {<<d>> : d \in Data}
  /\ ack \in {Empty} \cup {<<b>> : b \in Bit}

\* The message with the sender's bit is under way until the receiver has it.
Init ==
  /\ message \in Data
  /\ bit = 0 /\ expected = 0
  /\ wire = Empty /\ ack = Empty
  /\ delivered = Empty

Send ==
  /\ wire = Empty
  /\ wire' = <<message, bit>>
  /\ UNCHANGED <<message, bit, expected, delivered, ack>>

Receive ==
  /\ wire # Empty /\ ack = Empty
  /\ IF wire[2] = expected
       THEN delivered' = <<wire[1]>> /\ expected' = 1 - expected
       ELSE UNCHANGED <<delivered, expected>>
  /\ ack' = <<wire[2]>>
  /\ wire' = Empty
  /\ UNCHANGED <<message, bit>>

\* What comes back with the own bit makes room for the next message, any.
Acknowledged ==
  /\ ack # Empty
  /\ IF ack[1] = bit
       THEN bit' = 1 - bit /\ message' \in Data
       ELSE UNCHANGED <<bit, message>>
  /\ ack' = Empty
  /\ UNCHANGED <<wire, expected, delivered>>

LoseMessage == wire # Empty /\ wire' = Empty /\ UNCHANGED <<message, bit, expected, delivered, ack>>
LoseAck == ack # Empty /\ ack' = Empty /\ UNCHANGED <<message, bit, wire, expected, delivered>>

Next == Send \/ Receive \/ Acknowledged \/ LoseMessage \/ LoseAck

Safe == Init /\ [][Next]_vars
Spec == Safe /\ WF_vars(Send) /\ SF_vars(Receive) /\ SF_vars(Acknowledged)
WeakSpec == Safe /\ WF_vars(Send) /\ WF_vars(Receive) /\ WF_vars(Acknowledged)

\* Once the receiver waits for the other bit, it has the sender's message.
InOrder == expected # bit => delivered = <<message>>
Arrives == \A b \in Bit : (bit = b) ~> (expected # b)
GoesOn == \A b \in Bit : []<>(bit = b)
=============================================================================
