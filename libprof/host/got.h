/*
 * Other functions in the places through which modules call each other.
 *
 * A call of a function of another module goes through a word of the calling module that the
 * loader has filled in.  Such words can be made to lead elsewhere: no code is changed, nobody
 * who looks the function up finds another one, and the module that has it calls its own as
 * before. Program context; takes the loader's lock.
 */
#ifndef TSPROF_LINKAGE_H
#define TSPROF_LINKAGE_H

typedef void (*got_function)(void);

/*
 * Has every module that is loaded call HOOK where it would call SYMBOL, but for the one that
 * defines it and tsprof's own.  *REAL becomes the function first.  Does nothing where no module
 * defines it.
 */
void got_hook(const char *symbol, got_function hook, got_function *real);

#endif
