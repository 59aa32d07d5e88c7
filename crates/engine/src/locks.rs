//! Mutexes and semaphores: who holds them, who waits, in which order they are given.
