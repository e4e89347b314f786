/*
 * The dining philosophers, all alike.
 *
 * Three philosophers sit around a table with a fork between each two of them. A hungry
 * philosopher takes the fork on the left, then the one on the right, eats, and puts both back.
 *
 * What to see here:
 *   - deadlock: all take the left fork at the same time, and nobody ever eats again;
 *   - accessible: since that run cannot go on at all, no fairness assumption helps.
 *
 *     evenhand check models/promela/philosophers.pml
 *
 * The cure is in philosophers_asymmetric.pml.
 */
#define N 3
#define LEFT  _pid			/* active processes have the pids 0, 1, ... */
#define RIGHT ((_pid + 1) % N)

/*@ fair strong:phil */

bool taken[N];				/* is fork i in somebody's hand? */

active [N] proctype phil()
{
	do
	:: true ->			/* thinking is over */
hungry:		atomic { !taken[LEFT] -> taken[LEFT] = true };
		atomic { !taken[RIGHT] -> taken[RIGHT] = true };
eating:		taken[LEFT] = false;
		taken[RIGHT] = false
	od
}

/* Whoever is hungry eats some day. */
ltl accessible { [] (phil[0]@hungry -> <> phil[0]@eating) }

/* Neighbours never eat together. */
ltl apart { [] !(phil[0]@eating && phil[1]@eating) }
