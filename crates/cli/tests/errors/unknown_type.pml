typedef Message {
	byte kind;
	byte value
}

Mesage m;

init {
	m.kind = 1
}
