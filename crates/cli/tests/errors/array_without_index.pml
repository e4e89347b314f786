byte forks[3];

active proctype p() {
	forks = 1
}
