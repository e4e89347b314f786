byte x;

active proctype p() {
	if
	:: x == 0 -> x = 1
	:: else -> skip
}
