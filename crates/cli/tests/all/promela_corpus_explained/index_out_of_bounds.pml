/*
 * An array index out of bounds is a run-time error, and the run ends there. SPIN's verifier calls
 * it a failed assertion; told to ignore assertions (pan -A) it goes on with whatever lies behind
 * the array, so that its state count goes on too.
 */
byte list[1];
byte index = 1;

init {
	byte x;
	x = list[index];
	x = 0
}
