/*
 * A producer, a consumer, and a clock that ticks.
 *
 * What to see here: the simplest use of weak fairness. The clock can always move, so there is a
 * run in which nothing else ever does. A scheduler that is fair in the weakest sense, to everyone
 * who can move all the time, rules it out.
 */
#define SLOTS 2

/*@ fair weak */

chan buffer = [SLOTS] of { byte };
bit tick;

active proctype producer()
{
	byte item;
	do
	:: buffer!item -> item = (item + 1) % 3
	od
}

active proctype consumer()
{
	byte item, next;
	do
	:: buffer?item ->
consumed:	assert(item == next);
		next = (next + 1) % 3
	od
}

active proctype clock()
{
	do
	:: tick = 1 - tick
	od
}

ltl served { [] <> consumer[1]@consumed }
ltl ticking { [] <> (tick == 1) }
