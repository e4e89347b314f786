byte x;

active proctype p() {
again:
	x++;
again:
	goto again
}
