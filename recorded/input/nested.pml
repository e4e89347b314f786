#include "definitions.h"
/* Included from a folder that -I names; SIZE comes from -D. */
active [SIZE] proctype p() { byte k; do :: k < LIMIT -> k++; sum = sum + STEP :: else -> break od }
ltl bounded { [] (sum <= LIMIT * SIZE * STEP) }
ltl reached { <> (sum == LIMIT * SIZE * STEP) }
