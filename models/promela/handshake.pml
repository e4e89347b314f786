/*
 * Who takes part in a handshake?
 *
 * A rendezvous channel has no buffer: `c!1` and `c?x` happen together, in one step of two
 * processes. The server offers the handshake again and again; it may also do something else.
 *
 * What to see here: Evenhand counts a handshake as a step of *both*, so the client is able to
 * move all the time, and weak fairness makes the handshake happen. SPIN's own fairness (pan -f)
 * never sees the receiver as able to move: there the client may wait forever.
 *
 *     evenhand check models/promela/handshake.pml                                    holds
 *     evenhand check models/promela/handshake.pml --no-fairness --fair spin-weak     violated
 */

/*@ fair weak */

chan c = [0] of { byte };
bool served, other;

active proctype server()
{
	do
	:: c!1
	:: other = !other		/* something else */
	od
}

active proctype client()
{
	byte x;
	c?x;
	served = true
}

ltl answer { <> served }
