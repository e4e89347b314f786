/*
 * Peterson's algorithm: mutual exclusion for two processes with nothing but shared variables
 * (G. L. Peterson, "Myths about the mutual exclusion problem", 1981).
 *
 * I want to go in, but I let you go first if you want to as well and I said so last.
 *
 * What to see here:
 *   - the assertion: never two processes inside;
 *   - entry: without fairness it is violated, in a silly way: the scheduler forgets process 0.
 *     Weak fairness is enough, because a process that may go in may do so until it does.
 *
 *     evenhand check models/promela/peterson.pml --no-fairness
 *     evenhand check models/promela/peterson.pml
 */

/*@ fair weak:process */

bool want[2];			/* who wants to go in */
bit last;			/* who was the last to say so */
byte inside;			/* how many are inside: for the assertion only */

active [2] proctype process()
{
	do
	:: true ->
trying:		want[_pid] = true;
		last = _pid;
		(!want[1 - _pid] || last != _pid);
		inside++;
critical:	assert(inside == 1);
		inside--;
		want[_pid] = false
	od
}

ltl exclusion { [] !(process[0]@critical && process[1]@critical) }
ltl entry { [] (process[0]@trying -> <> process[0]@critical) }
