/* Atomic stretches that branch: a hand of cards is dealt in one step, any card to any of two players. */
byte hand[2];
byte rounds;

active [2] proctype dealer() {
  byte card;
  do
  :: atomic {
       rounds < 40 ->
       rounds++;
       card = 0;
       do
       :: card < 12 ->
          if
          :: hand[0] = (hand[0] + card) % 11
          :: hand[1] = (hand[1] + card) % 7
          fi;
          card++
       :: else -> break
       od;
       card = 0
     }
  od
}
