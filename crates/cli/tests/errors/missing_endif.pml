#define N 3
#if N > 2
byte x;

active proctype p() {
	x = N
}
