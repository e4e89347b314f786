/*
 * Mutual exclusion with a semaphore: the smallest model that needs strong fairness.
 *
 * What to see here:
 *   - safety is easy: one token, one process inside;
 *   - entry: process 0 waits at the semaphore. The others go in and out, so the semaphore is free
 *     again and again, but never for good: weak fairness, which cares only for those that could
 *     move all the time, owes process 0 nothing. Strong fairness does.
 *
 * Compare with peterson.pml, where weak fairness is enough: that is why one speaks of weak and
 * strong semaphores.
 */
#define N 3

/*@ fair strong:process */

byte semaphore = 1;
byte inside;

active [N] proctype process()
{
	do
	:: true ->
waiting:	atomic { semaphore > 0 -> semaphore-- };
		inside++;
critical:	assert(inside == 1);
		inside--;
		semaphore++
	od
}

ltl exclusion { [] (inside <= 1) }
ltl entry { [] (process[0]@waiting -> <> process[0]@critical) }
