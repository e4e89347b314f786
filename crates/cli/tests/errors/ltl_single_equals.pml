/* A formula compares with two signs. */
byte turn;
active proctype p() { turn = 1 }
ltl once { [] (turn = 1 -> <> (turn == 0)) }
