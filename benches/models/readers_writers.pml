/* Readers and writers with a turnstile: counting under a mutex built from an atomic test-and-set. */
#define READERS 4
#define WRITERS 2

bool mutex;
bool room;
bool turnstile;
byte reading;
byte version;

inline wait(semaphore) { atomic { !semaphore -> semaphore = true } }
inline signal(semaphore) { semaphore = false }

active [READERS] proctype reader() {
  byte seen;
  do
  :: wait(turnstile);
     signal(turnstile);
     wait(mutex);
     reading++;
     if
     :: reading == 1 -> wait(room)
     :: else
     fi;
     signal(mutex);
     seen = version;
     wait(mutex);
     reading--;
     if
     :: reading == 0 -> signal(room)
     :: else
     fi;
     signal(mutex)
  od
}

active [WRITERS] proctype writer() {
  do
  :: wait(turnstile);
     wait(room);
     version = (version + 1) % 3;
     signal(turnstile);
     signal(room)
  od
}
