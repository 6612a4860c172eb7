/* See elfutils.h. */
#include "assemble/elfutils.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct elfutils dw;

static bool tried, usable;
static char problem[256];

bool elfutils_load(void)
{
    if (tried)
        return usable;
    tried = true;
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(problem, sizeof problem, "functions have no names: %s", dlerror());
        return false;
    }
    usable = true;
#define X(function)                                                                            \
    {                                                                                          \
        void *symbol = dlsym(library, #function);                                              \
        memcpy(&dw.function, &symbol, sizeof symbol);                                          \
        if (!symbol && usable)                                                                 \
            snprintf(problem, sizeof problem, "functions have no names: libdw lacks %s",       \
                     #function);                                                               \
        usable = usable && symbol;                                                             \
    }
    ELFUTILS_FUNCTIONS(X)
#undef X
    return usable;
}

const char *elfutils_problem(void)
{
    return *problem ? problem : NULL;
}
