byte x;

active proctype p() {
	x = 1
}

ltl good { [] (x < 2) }
ltl bad { [] (y < 2 -> <> z) }
ltl worse { [ (x < 2) }
