/*
 * Readers and writers, with a door.
 *
 * The cure for readers_writers.pml: a writer that wants to go in closes the door first. No new
 * reader passes, those inside leave, and the writer finds the room empty.
 *
 * What to see here:
 *   - writer_enters holds under weak fairness: nobody but the writer moves the door, so whatever
 *     it waits for comes and stays;
 *   - reader_enters needs strong fairness: the door opens again and again, but not for good.
 */
#define READERS 2

/*@ fair strong */

byte readers;
bool closed;
bool writing;

active [READERS] proctype reader()
{
	do
	:: true ->
asking:		atomic { !closed -> readers++ };
reading:	assert(!writing);
		readers--
	od
}

active proctype writer()
{
	do
	:: true ->
asking:		closed = true;
		atomic { readers == 0 -> writing = true };
inside:		assert(readers == 0);
		writing = false;
		closed = false
	od
}

ltl exclusion { [] !(writing && readers > 0) }
ltl reader_enters { [] (reader[0]@asking -> <> reader[0]@reading) }
ltl writer_enters { [] (writer[2]@asking -> <> writer[2]@inside) }
