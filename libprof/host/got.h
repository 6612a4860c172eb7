/*
 * Hooking functions through the global offset tables (GOT).
 *
 * A call of a function in another module goes through a word of the calling module that the
 * loader has filled in.  Such a word can be made to lead elsewhere: no code is changed, whoever
 * looks the function up by name still finds the original, and the module that defines it still
 * calls its own.  Program context; takes the loader's lock.
 */
#ifndef TSPROF_GOT_H
#define TSPROF_GOT_H

typedef void (*got_function)(void);

/*
 * Makes every module that is loaded now call HOOK where it would call SYMBOL, except for the
 * module that defines SYMBOL and tsprof itself.  *REAL is set to the original function first.
 * Does nothing if no module defines SYMBOL.
 */
void got_hook(const char *symbol, got_function hook, got_function *real);

#endif
