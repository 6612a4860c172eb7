/*
 * What the runtime uses of glibc and other C libraries lack.  Where it is preloaded into a
 * program of musl's, as it is into whatever a shell or a launcher starts, an unresolved symbol
 * would keep the program from starting.  So these are weak, and nothing is measured where they
 * are missing.  To be included wherever one of them is called.
 */
#ifndef TSPROF_OTHER_LIBC_H
#define TSPROF_OTHER_LIBC_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#pragma weak _dl_find_object
#pragma weak dladdr1
#pragma weak getcontext
#pragma weak makecontext
#pragma weak swapcontext

/* What glibc's pthread_atfork, which is linked statically, calls. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *module) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

/* Whether this process has another C library than the runtime was made for.  Any context. */
static inline bool other_libc_async(void)
{
    return !_dl_find_object || !__register_atfork;
}

/* Has CHILD called in each child of fork. */
static inline void at_fork_in_child(void (*child)(void))
{
    if (!other_libc_async())
        __register_atfork(NULL, NULL, child, __dso_handle);
}

#endif
