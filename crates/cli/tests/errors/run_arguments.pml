proctype worker(byte id; chan out) {
	out!id
}

init {
	chan c = [1] of { byte };
	run worker(1);
	run worker(2, c)
}
