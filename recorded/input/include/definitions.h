#ifndef SIZE
#define SIZE 2
#endif
#define LIMIT 2
#ifdef STEP_TWO
#define STEP 2
#else
#define STEP 1
#endif
int sum;
