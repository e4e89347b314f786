byte x;
byte box;

active proctype p() {
	box!x;
	box?x
}
