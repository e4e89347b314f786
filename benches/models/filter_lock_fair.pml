/*
 * Peterson's filter lock at the granularity of Malinen and Luukkainen's measurements: setting the level,
 * setting the victim, and one test of all other processes are a step each.
 *
 *     -DN=3      how many processes (2 to 5)
 */
#ifndef N
#define N 3
#endif

byte level[N];
byte victim[N];

#define ALONE(j) (j == _pid || j >= N || level[(j >= N -> 0 : j)] < stage)

active [N] proctype process()
{
	byte stage = 1;
	do
	:: true;
waiting:	do
		:: stage < N ->
			level[_pid] = stage;
			victim[stage] = _pid;
			(victim[stage] != _pid || (ALONE(0) && ALONE(1) && ALONE(2) && ALONE(3) && ALONE(4)));
			stage++
		:: stage == N -> break
		od;
critical:	atomic { level[_pid] = 0; stage = 1 }
	od
}

ltl entry { [] (process[0]@waiting -> <> process[0]@critical) }
