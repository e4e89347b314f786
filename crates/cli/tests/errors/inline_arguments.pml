byte x;

inline add(v, n) {
	v = v + n
}

active proctype p() {
	add(x)
}
