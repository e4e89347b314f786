/* Statements that are special in trails: d_step, atomic, handshakes, run, ends, else, goto, unless,
   a never claim in front of the processes, inlines and rendezvous that pass the atomic token. */
chan sync = [0] of { byte };
chan buffer = [2] of { byte, bit };
byte total, done;
bit flag;

never {
	do
	:: total > 200 -> break
	:: else
	od
}

inline twice(x) {
	x = x + 1;
	x = x + 1
}

proctype worker(byte n) {
	byte got;
	d_step {
		total = total + n;
		if
		:: total > 100 -> total = 0
		:: else
		fi;
		total++
	}
	sync!n;
	atomic {
		twice(done);
		buffer!n, 1
	}
	{
		do
		:: got < 2 -> got++
		:: else -> goto out
		od
	} unless {
		flag == 1;
		got = 9
	}
out:	skip
}

init {
	byte x;
	bit y;
	atomic {
		run worker(1);
		run worker(2)
	}
	sync?x;
	sync?x;
	atomic {
		buffer?x, y;
		flag = 1
	}
	if
	:: x == 2 -> assert(done < 4)
	:: else -> goto again
	fi;
again:	buffer?x, _;
	(_nr_pr == 1);
	total = 7
}

ltl quiet { [] !(total == 7) }
