/*
 * Readers and writers, readers first.
 *
 * Readers may read together; a writer must be alone. A reader may go in as long as no writer is
 * inside.
 *
 * What to see here:
 *   - exclusion holds;
 *   - reader_enters needs strong fairness: the writer goes out again and again, so the reader is
 *     able to enter again and again, but not all the time;
 *   - writer_enters is violated under every fairness assumption. The readers take turns so that
 *     there is always one inside: the writer is not just overtaken, it is never able to move at
 *     all, and no fairness owes anything to somebody who cannot move. The protocol is wrong, not
 *     the scheduler. Compare readers_writers_door.pml.
 */
#define READERS 2

/*@ fair strong */

byte readers;
bool writing;

active [READERS] proctype reader()
{
	do
	:: true ->
asking:		atomic { !writing -> readers++ };
reading:	assert(!writing);
		readers--
	od
}

active proctype writer()
{
	do
	:: true ->
asking:		atomic { !writing && readers == 0 -> writing = true };
inside:		assert(readers == 0);
		writing = false
	od
}

ltl exclusion { [] !(writing && readers > 0) }
ltl reader_enters { [] (reader[0]@asking -> <> reader[0]@reading) }
ltl writer_enters { [] (writer[2]@asking -> <> writer[2]@inside) }
