/*
 * What an exception would find in the functions that it passes.
 *
 * C++, Rust and other languages that unwind by tables describe in a language-specific data area
 * (LSDA) what each call of a function does about exceptions.
 */
#ifndef TSPROF_LSDA_H
#define TSPROF_LSDA_H

#include <stdint.h>

enum lsda {
    LSDA_NONE,    /* an exception passes without any code being run */
    LSDA_CLEANUP, /* it passes after a cleanup has run */
    LSDA_STOP     /* it may be caught, or end the program, or nothing is known */
};

/*
 * The most that can happen in the calling function to an exception that comes out of the call
 * which returns to RETURN_ADDRESS.  Program context, any thread; takes no lock.
 */
enum lsda lsda_find(uintptr_t return_address);

#endif
