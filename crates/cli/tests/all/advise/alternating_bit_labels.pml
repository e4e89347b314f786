/*
 * The alternating bit protocol of models/promela/alternating_bit.pml with labels where the channels do
 * not lose a message. (SPIN takes no labels in front of an option; Evenhand does.)
 */
#define VALUES 3			/* messages are numbered 0, 1, 2, 0, ... */

chan data = [1] of { bit, byte };
chan acks = [1] of { bit };

active proctype sender()
{
	bit b;
	byte message;

sending:
	if
	:: through: data!b, message
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
	:: answered: acks!b
	:: true				/* lost */
	fi;
	goto end
}

/* New messages are delivered again and again. */
ltl delivery { [] <> receiver[1]@delivered }
