#define LIMIT 10
#define next(v) v = v + stpe

byte x, step;

active proctype p() {
	next(x)
}
