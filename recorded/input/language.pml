/* Much of the language in few lines: channels of all kinds, run and ends, d_step, unless, provided, sorted and
   random receives, polls, a handshake out of an atomic stretch, inlines, typedefs, printf. */
#ifndef ROUNDS
#define ROUNDS 2
#endif

mtype = { red, amber, green };
mtype:speed = { slow, fast };

typedef Lamp {
	mtype colour;
	byte changes[2];
	bool on
}

chan line = [2] of { mtype, byte };
chan sorted = [3] of { byte };
chan meet = [0] of { byte };
chan replies[2] = [1] of { bit };
Lamp lamp;
mtype:speed pace = slow;
short total = -1;
bool stop;

inline change(c, n) {
	lamp.colour = c;
	lamp.changes[n] = (lamp.changes[n] + 1) % 3
}

proctype worker(byte id; chan out) provided (!stop) {
	byte k;
	for (k : 1 .. ROUNDS) {
		atomic { line!red(id); change(amber, id - 1) };
		if
		:: nempty(line) -> line?_, _
		:: empty(line)
		fi
	}
	d_step {
		do
		:: total < 3 -> total++
		:: else -> break
		od;
		pace = fast
	}
	out!1
}

active proctype watcher() priority 2 {
	byte x;
	sorted!!2; sorted!!1;
	{
		do
		:: sorted?[1] -> sorted?1
		:: sorted??2 -> printf("two is out, %e\n", pace)
		:: else -> break
		od;
		meet?x
	} unless {
		lamp.on
	}
end:	assert(x == 0 || x == 7)
}

init {
	pid first;
	bit b;
	atomic {
		first = run worker(1, replies[0]);
		run worker(2, replies[1])
	};
	replies[0]?b; replies[1]?b;
	if
	:: meet!7
	:: timeout -> lamp.on = true
	fi;
	select (b : 0 .. 1);
	(_nr_pr <= 3) -> lamp.colour = green
}

ltl lit { <> (lamp.colour == green) }
ltl counted { [] (total <= 3) }
ltl fast_in_the_end { <> [] (pace == fast) }
ltl before { [] (lamp.colour == green -> total == 3) }
