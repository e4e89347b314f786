byte turn;

active proctype p() {
	do
	:: turn == 0 -> turn = 1
	:: trun == 1 -> turn = 0
	od
}
