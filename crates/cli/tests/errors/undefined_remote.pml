byte x;

active proctype p() {
critical:
	x = 1
}

ltl safe { [] !(p[0]@critcal) }
