#include "definitions.h"

active proctype p() {
	skip
}
