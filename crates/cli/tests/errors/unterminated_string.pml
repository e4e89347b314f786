active proctype p() {
	printf("hello\n);
	skip
}
