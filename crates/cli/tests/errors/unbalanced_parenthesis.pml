byte x;

active proctype p() {
	x = (x + 1) * (2 - x;
	x = 0
}
