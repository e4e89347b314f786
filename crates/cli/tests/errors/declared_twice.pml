byte x;
bool x;

active proctype p() {
	x = 1
}
