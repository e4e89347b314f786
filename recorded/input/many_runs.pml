/* Several ways to fail, for all of them to be shown. */
byte n;
active proctype p() {
	do
	:: n < 3 -> n++
	:: n == 1 -> n = 5
	:: n == 2 -> n = 7
	:: n == 5 || n == 7 || n == 3 -> skip
	od
}
ltl back { [] <> (n == 0) }
ltl low { [] (n < 6) }
