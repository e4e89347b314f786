byte x;

/* the only process
active proctype p() {
	x = 1
}
