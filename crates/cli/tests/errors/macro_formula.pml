/* What a macro stands for is part of the mistake. */
#define served (request -> <> granted)
bool request, grant;
active proctype p() { request = true; grant = true }
ltl all { [] served }
