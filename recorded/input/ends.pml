/* A run may end properly, improperly, or never. */
byte x;
active proctype p() {
	if
	:: x = 1
	:: x = 2 -> (x == 3)
	:: do :: x = 4 - x od
	fi
}
ltl settled { <> [] (x == 1 || x == 2) }
ltl odd { [] (x != 1) }
ltl never_nine { [] (x != 9) }
