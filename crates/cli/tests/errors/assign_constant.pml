mtype = { red, green };

active proctype p() {
	red = 1;
	_pid = 2
}
