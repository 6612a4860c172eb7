/*
 * What exceptions find on their way: read from the unwind tables of the program's modules.
 *
 * C++, Rust and other languages that unwind with tables describe in a language-specific data
 * area what each call of a function does about exceptions.
 */
#ifndef TSPROF_LANDING_H
#define TSPROF_LANDING_H

#include <stdint.h>

enum lsda {
    LSDA_NONE,    /* an exception passes */
    LSDA_CLEANUP, /* it passes, after something was done */
    LSDA_STOP     /* it may be caught or end the program; or nothing is known */
};

/*
 * What an exception that comes out of the call which returns to RETURN_ADDRESS finds in the
 * calling function, at the most.  Takes no lock.
 */
enum lsda lsda_find(uintptr_t return_address);

#endif
