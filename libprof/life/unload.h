/*
 * Libraries that the program unloads: dlclose is interposed, so that what was learnt of code is
 * forgotten when it goes.
 */
#ifndef TSPROF_UNLOAD_H
#define TSPROF_UNLOAD_H

/* From now on code is measured.  Program context, once. */
void unload_watch(void);

#endif
