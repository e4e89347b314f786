/* A claim that comes to its closing brace. */
byte n;
active proctype counter() { do :: n < 5 -> n++ :: n == 5 -> n = 0 od }
never { do :: n == 3 -> break :: else od }
