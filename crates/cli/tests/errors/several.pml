byte x;
chan c = [2] of { byte };

active proctype p() {
	y = 1;
	x!1;
	goto nowhere;
	run q();
	c = z
}
