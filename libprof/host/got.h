/*
 * What modules call in each other, by their global offset tables (GOT), and hooking it.
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

/* What is told of each function that a module calls in another one: file name and symbol. */
typedef void (*got_visitor)(const char *module, const char *symbol, void *context);

/*
 * Calls VISIT for every function that modules which are loaded now call in other modules; the
 * program's own file name is "".  VISIT must not load or unload modules.
 */
void got_visit(got_visitor visit, void *context);

#endif
