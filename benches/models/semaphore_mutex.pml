/*
 * Mutual exclusion with a semaphore, as Malinen and Luukkainen (2003) measure it: five places per
 * process, of which three hold the semaphore. 2^N + 3 N 2^(N-1) states: 77,824 for N = 12.
 *
 *     -DN=12     how many processes
 */
#ifndef N
#define N 4
#endif

bit free = 1;

active [N] proctype process()
{
	do
	:: true;
waiting:	atomic { free -> free = 0 };
critical:	skip;
		skip;
		free = 1
	od
}

ltl entry { [] (process[0]@waiting -> <> process[0]@critical) }
