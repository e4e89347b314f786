byte counter;

active proctype worker() {
	counter = counter + 1;
	countre = 0
}
