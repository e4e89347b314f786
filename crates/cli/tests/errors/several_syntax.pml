byte x;

active proctype p() {
	x = ;
	if
	:: x == 1 -> x = 2
	:: -> skip
	fi;
	x = 3 4
}

active proctype q( {
	skip
}
