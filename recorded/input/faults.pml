/* Run-time errors, one for each value of WHICH. */
#ifndef WHICH
#define WHICH 0
#endif
byte a[3], i = 1, zero;
chan none;
active proctype p() {
	do
	:: i < 4 -> i++
	:: i == 4 -> break
	od;
#if WHICH == 0
	a[i] = 1
#elif WHICH == 1
	i = 10 / zero
#elif WHICH == 2
	i = i % zero
#elif WHICH == 3
	none!1
#elif WHICH == 4
	assert(i == 3)
#elif WHICH == 5
	(false)
#endif
}
ltl small { [] (i < 9) }
ltl filled { <> (a[i - 1] == 1) }
