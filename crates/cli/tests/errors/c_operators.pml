byte x;

active proctype p() {
	x += 1;
	if (x == 1) {
		x = 2
	}
}
