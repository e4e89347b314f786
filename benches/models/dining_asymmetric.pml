/*
 * Dining philosophers, the last of whom takes the forks in the other order: no deadlock, but a
 * philosopher may be overtaken for ever unless taking a fork is strongly fair.
 *
 * Six places each: thinking, at the first fork, at the second, eating, putting back one fork, putting
 * back the other. With N philosophers there are 22, 100, 466, 2164, 10054, … states.
 *
 *     -DN=6      how many
 */
#ifndef N
#define N 5
#endif
#define LEFT   _pid
#define RIGHT  ((_pid + 1) % N)
#define FIRST  (_pid == N - 1 -> RIGHT : LEFT)
#define SECOND (_pid == N - 1 -> LEFT : RIGHT)

/*@ fair strong:phil@first */
/*@ fair strong:phil@second */
/*@ fair weak:phil */

bool taken[N];

active [N] proctype phil()
{
	do
	:: true;
first:		atomic { !taken[FIRST] -> taken[FIRST] = true };
second:		atomic { !taken[SECOND] -> taken[SECOND] = true };
eating:		skip;
		taken[FIRST] = false;
		taken[SECOND] = false
	od
}

ltl accessible { [] (phil[1]@first -> <> phil[1]@eating) }
