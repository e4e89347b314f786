/* Accept and progress labels, and a claim. */
byte work;

active proctype worker() {
	do
	:: work == 0 -> work = 1
	:: work == 1 ->
progress:	work = 0
	:: work == 1 -> skip
	od
}

active proctype idler() {
accept:	do
	:: work == 0 -> skip
	:: work == 1 -> skip
	od
}

never {
	do
	:: work == 1 -> goto accept_one
	:: true
	od;
accept_one:
	do
	:: work == 1
	od
}
