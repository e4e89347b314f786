byte x;

active proctype p() {
	asert(x == 0);
	x = 1
}
