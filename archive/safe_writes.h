/*
 * Where OTF2 finds that a file cannot be written it may end the process: it writes what it has
 * failed to write again, from memory that it has given back (3.0.2).  So while this process
 * writes an archive none of the library's writes fails, as far as the library can see.  From
 * the first one on that fails nothing more is written, and it is known why.
 */
#ifndef TSPROF_SAFE_WRITES_H
#define TSPROF_SAFE_WRITES_H

#include <stdbool.h>

/* Puts itself between LIBRARY, from dlopen, and the C library.  False if that cannot be done.
 */
bool safe_writes_install(void *library);

/*
 * Between these two the calling thread's writes by LIBRARY do not fail; others, perhaps the
 * program's own, are as ever.  safe_writes_end returns the errno of the first one that did, 0
 * if none did.
 */
void safe_writes_begin(void);
int safe_writes_end(void);

#endif
