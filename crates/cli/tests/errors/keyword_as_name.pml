byte len;

active proctype p() {
	byte do;
	skip
}
