/* C++ functions for test_alias.c: what exceptions do to frames that return by an alias. */
#ifndef TSPROF_ALIAS_FRAMES_H
#define TSPROF_ALIAS_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As a wrapper of an MPI function does: walks, and puts aliases.  test_alias.c owns it. */
void look(void);

/* Where the latest call of it returns to. */
extern uintptr_t probed;
void probe(void);

/* How a function calls probe. */
enum frame_kind {
    FRAME_PLAIN,          /* nothing to do when an exception passes */
    FRAME_CLEANUP,        /* a destructor runs and it goes on */
    FRAME_CATCH,          /* caught by type */
    FRAME_CATCH_ALL,      /* caught */
    FRAME_NOEXCEPT,       /* ends the program */
    FRAME_AFTER_CATCH,    /* in a function that catches, outside its try block */
    FRAME_CLEANUP_INSIDE, /* a destructor runs, then caught in the same function */
    FRAME_KINDS
};

void frame_probe(enum frame_kind kind);

struct exception_counts {
    int destroyed;
    int caught;
};

/* Throws and catches through several functions that look before, on the way and after. */
struct exception_counts throw_and_catch(int rounds);

/* Calls FUNCTION inside of three functions that look and have objects to destroy. */
void inside_objects(void (*function)(void));
extern int objects_destroyed;

#ifdef __cplusplus
}
#endif

#endif
