/*
 * Programs that nothing can be preloaded into, or not the runtime.
 */
#ifndef TSPROF_REFUSAL_H
#define TSPROF_REFUSAL_H

/*
 * Why PROGRAM, the path of a file, cannot be measured, as the end of a sentence: it is linked
 * statically, or with another C library than the runtime.  NULL if it can, or if that is not
 * known, as of a script.
 */
const char *refusal_of(const char *program);

#endif
