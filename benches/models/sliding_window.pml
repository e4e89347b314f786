/* Go-back-n over channels that lose messages: a window of W, sequence numbers below M. */
#define W 3
#define M 5
#define K 3

mtype = { data, ack };
chan forth = [K] of { mtype, byte, bit };
chan back  = [K] of { mtype, byte };

active proctype sender() {
  byte base;
  byte next;
  byte answer;
  bit payload;
  do
  :: (next + M - base) % M < W ->
     if
     :: payload = 0
     :: payload = 1
     fi;
     forth!data(next, payload);
     next = (next + 1) % M
  :: back?ack(answer) ->
     if
     :: (answer + M - base) % M < (next + M - base) % M -> base = (answer + 1) % M
     :: else
     fi
  :: next != base && empty(back) -> next = base
  od
}

active proctype receiver() {
  byte expected;
  byte number;
  bit got;
  do
  :: forth?data(number, got) ->
     if
     :: number == expected -> expected = (expected + 1) % M
     :: else
     fi;
     back!ack((expected + M - 1) % M)
  od
}

active proctype loss() {
  do
  :: forth?data(_, _)
  :: back?ack(_)
  od
}
