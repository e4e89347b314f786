byte x;

c_decl { typedef struct { int a; } S; };

active proctype p() {
	x = 1;
	c_code { now.x = 2; };
	x = 3
}
