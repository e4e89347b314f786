proctype worker() {
	skip
}

init {
	run wroker()
}
