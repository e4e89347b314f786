/* The property asks for the length of a channel that nobody has created. */
chan c;

ltl c6 { [] (len(c) < 2) }

init { skip }
