/*
 * The wolf, the goat and the cabbage: a puzzle more than a thousand years old.
 *
 * A farmer has to bring all three over a river in a boat that carries one of them at a time. The
 * wolf must not be left alone with the goat, nor the goat with the cabbage.
 *
 * What to see here: model checking as a way to find something. The assertion says that the puzzle
 * has no solution; the counterexample is one, and since Evenhand's counterexamples are the
 * shortest, it is the shortest one.
 *
 *     evenhand check models/promela/river.pml -p assertions
 */
bit farmer, wolf, goat, cabbage;	/* 0: here, 1: over there */

#define SAFE ((wolf != goat || goat == farmer) && (goat != cabbage || goat == farmer))
#define SOLVED (farmer + wolf + goat + cabbage == 4)

active proctype puzzle()
{
	do
	:: SOLVED -> break
	:: !SOLVED && SAFE ->
		if			/* who comes along? */
		:: atomic { wolf == farmer -> wolf = 1 - wolf; farmer = 1 - farmer }
		:: atomic { goat == farmer -> goat = 1 - goat; farmer = 1 - farmer }
		:: atomic { cabbage == farmer -> cabbage = 1 - cabbage; farmer = 1 - farmer }
		:: farmer = 1 - farmer
		fi
	:: !SOLVED && !SAFE -> goto eaten
	od;
	assert(!SOLVED);
eaten:	skip
}

ltl unsolvable { [] !SOLVED }
