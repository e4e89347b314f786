/*
 * Leader election in a ring (E. Chang, R. Roberts, 1979).
 *
 * Every node sends its number to its neighbour. A node passes on what is larger than its own
 * number and swallows what is smaller; who gets its own number back is the leader, and tells the
 * others.
 *
 * What to see here:
 *   - messages with a type (`mtype`) and channels as parameters;
 *   - processes started by `init`, in one atomic step;
 *   - elected: it holds without any fairness assumption. Every run is finite, and a run that can
 *     go on does go on: fairness is about who moves, not about whether something moves.
 */
#define N 4

mtype = { candidate, leader };

chan ring[N] = [N] of { mtype, byte };
byte leaders;				/* how many think they are the leader */
byte informed;				/* how many know who it is */

proctype node(chan in, out; byte mine)
{
	byte number;

	out!candidate(mine);
	do
	:: in?candidate(number) ->
		if
		:: number > mine -> out!candidate(number)
		:: number == mine ->
			leaders++;
			assert(leaders == 1);
			out!leader(mine)
		:: else			/* smaller: no chance */
		fi
	:: in?leader(number) ->
		informed++;
		if
		:: number != mine -> out!leader(number)
		:: else
		fi;
		break
	od;
	assert(number == N)		/* the largest number wins */
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) {
			run node(ring[i], ring[(i + 1) % N], 1 + (3 * i + 1) % N)
		}
	}
}

ltl one_leader { [] (leaders <= 1) }
ltl elected { <> (informed == N) }
