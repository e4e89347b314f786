byte x;

proctype p() {
	x = 1
}
