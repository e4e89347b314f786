byte x;

active proctype p() {
	do
	:: x < 3 -> x++
	:: else -> break;
	x = 0
}

active proctype q() {
	x = 9
}
