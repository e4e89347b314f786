/* A loop that makes progress only where it likes, and a claim that comes to its end. */
byte work;

active proctype worker() {
	do
	:: work == 0 -> work = 1
	:: work == 1 ->
progress:	work = 0
	:: work == 1 -> skip
	od
}

never {
	do
	:: work == 1 -> break
	:: else
	od
}
