/*
 * The dining philosophers, one of them different.
 *
 * As philosophers.pml, but the last philosopher takes the right fork first. Now they cannot all
 * wait for each other in a circle, and the deadlock is gone.
 *
 * What to see here:
 *   - without fairness philosopher 0 may starve: the others do all the steps;
 *   - weak fairness does not help: the neighbour puts the fork back and takes it again, so
 *     philosopher 0 is never able to move *all the time*;
 *   - strong fairness does: the fork is free again and again, so one day it must be taken.
 *
 *     evenhand check models/promela/philosophers_asymmetric.pml --no-fairness
 *     evenhand check models/promela/philosophers_asymmetric.pml --no-fairness --fair weak
 *     evenhand check models/promela/philosophers_asymmetric.pml
 */
#define N 3
#define LEFT   _pid
#define RIGHT  ((_pid + 1) % N)
#define FIRST  (_pid == N - 1 -> RIGHT : LEFT)
#define SECOND (_pid == N - 1 -> LEFT : RIGHT)

/*@ fair strong:phil */

bool taken[N];

active [N] proctype phil()
{
	do
	:: true ->
hungry:		atomic { !taken[FIRST] -> taken[FIRST] = true };
		atomic { !taken[SECOND] -> taken[SECOND] = true };
eating:		taken[FIRST] = false;
		taken[SECOND] = false
	od
}

ltl accessible { [] (phil[0]@hungry -> <> phil[0]@eating) }
ltl apart { [] !(phil[0]@eating && phil[1]@eating) }
