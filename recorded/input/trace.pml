/* A trace assertion that one run breaks. */
mtype = { ask, answer };
chan c = [1] of { mtype };
active proctype one() { do :: c!ask :: c!answer od }
active proctype two() { mtype m; do :: c?m od }
trace { do :: c!ask; c?ask; c!answer; c?answer od }
