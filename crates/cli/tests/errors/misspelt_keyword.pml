byte x;

actve proctype p() {
	x = 1
}
