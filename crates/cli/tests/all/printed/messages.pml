/* Names of messages, a handshake, output and an atomic stretch, for the printed form of runs. */
mtype = { request, grant, refuse };

chan ask = [1] of { mtype, byte };
chan answer = [0] of { mtype };
bit turn;

active proctype client() {
	mtype reply;
	do
	:: ask!request(7);
	   answer?reply;
	   printf("client: %e\n", reply)
	od
}

active proctype server() {
	byte number;
	do
	:: atomic { ask?request(number); turn = 1 - turn; printf("server: %d\n", number) };
	   assert(number == 7 && turn == 1);
	   if
	   :: answer!grant
	   :: answer!refuse
	   fi
	od
}

ltl refused { <> (client:reply == refuse) }
