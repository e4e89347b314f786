/*
 * The alternating bit protocol: reliable delivery over channels that lose messages
 * (K. A. Bartlett, R. A. Scantlebury, P. T. Wilkinson, 1969).
 *
 * Each message carries one bit. The sender repeats a message until the bit comes back in an
 * acknowledgement, then flips the bit and goes on; the receiver knows a repetition by its bit.
 *
 * What to see here:
 *   - the assertion: messages arrive in order, none is lost, none is seen twice;
 *   - the sender repeats at a `timeout`: when nothing else in the whole system can happen;
 *   - delivery: violated if the channel may lose everything. Fairness of processes, weak or
 *     strong, cannot help: when every message is lost the sender does move, and the receiver is
 *     never able to. What is missing is fairness of the *channel*: whoever tries to send
 *     infinitely often gets a message through infinitely often. That is compassion.
 */

/*@ fair compassion:sender[0]@sending => len(data) > 0 */
/*@ fair compassion:receiver[1]@replying => len(acks) > 0 */

#define VALUES 3			/* messages are numbered 0, 1, 2, 0, ... */

chan data = [1] of { bit, byte };
chan acks = [1] of { bit };

active proctype sender()
{
	bit b;
	byte message;

sending:
	if
	:: data!b, message		/* it gets through, */
	:: true				/* or it is lost */
	fi;
	if
	:: acks?eval(b) ->		/* acknowledged: the next one */
		b = 1 - b;
		message = (message + 1) % VALUES
	:: acks?eval(1 - b)		/* an old acknowledgement */
	:: timeout			/* lost: once more */
	fi;
	goto sending
}

active proctype receiver()
{
	bit b, expected;
	byte message, next;

end:	data?b, message;
	if
	:: b == expected ->		/* a new message */
delivered:	assert(message == next);
		next = (next + 1) % VALUES;
		expected = 1 - expected
	:: else				/* a repetition */
	fi;
replying:
	if
	:: acks!b
	:: true				/* lost */
	fi;
	goto end
}

/* New messages are delivered again and again. */
ltl delivery { [] <> receiver[1]@delivered }

/* The same with the assumption written into the formula, as one must do without compassion. */
ltl delivery_if_fair {
	(([] <> sender[0]@sending -> [] <> (len(data) > 0)) &&
	 ([] <> receiver[1]@replying -> [] <> (len(acks) > 0)))
	-> [] <> receiver[1]@delivered
}
