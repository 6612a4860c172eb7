/*
 * Interposes dlclose, so that what has been learnt about code is forgotten when the program
 * unloads that code.
 */
#ifndef TSPROF_UNLOAD_H
#define TSPROF_UNLOAD_H

/* Starts to watch dlclose; until then nothing has been learnt.  Once, in program context. */
void unload_watch(void);

#endif
