/* What is worth a warning: assumptions that make no difference or leave no run, statements that nobody reaches,
   conditions that never change, an unused claim. */
bool b, c, never_set;
active proctype p() { do :: b = !b od }
active proctype q() { do :: c = true :: b -> c = false :: never_set -> c = true; b = true; c = false od }
proctype nobody() { skip }
ltl idle { [] (never_set -> <> c) }
ltl always { [] (b || !b) }
ltl turns { [] <> b }
ltl starving { [] <> c }
