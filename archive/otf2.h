/*
 * The OTF2 library, loaded when a trace is written, so that nothing depends on it before.
 * Program context; memory from malloc.
 */
#ifndef TSPROF_OTF2_H
#define TSPROF_OTF2_H

#include <otf2/otf2.h>

struct otf2 {
#define OTF2_FUNCTION(name) __typeof__(&OTF2_##name) name;
#include "archive/otf2.def"
#undef OTF2_FUNCTION
};

/*
 * The library in the file PATH or, if that is empty, the one that the loader finds.  NULL if
 * there is none with all functions; *WHY is then the reason, valid until the next call.  The
 * library stays loaded.
 */
const struct otf2 *otf2_load(const char *path, const char **why);

/* The latest error of the library in words; "" if there was none since the last call. */
const char *otf2_error(void);

#endif
