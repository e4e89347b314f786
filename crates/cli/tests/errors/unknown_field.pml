typedef Message {
	byte kind;
	byte value
}

Message m;

init {
	m.knd = 1
}
