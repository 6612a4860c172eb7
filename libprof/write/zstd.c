/* See zstd.h. */
#include "write/zstd.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

static size_t (*compress)(void *to, size_t room, const void *from, size_t size, int level);
static unsigned (*is_error)(size_t result);

static bool find(void *library, const char *name, void *function)
{
    void *symbol = library ? dlsym(library, name) : NULL;
    memcpy(function, &symbol, sizeof symbol);
    return symbol;
}

static size_t pack(void *to, size_t room, const void *from, size_t size)
{
    size_t result = compress(to, room, from, size, SECTIONS_LEVEL);
    return is_error(result) ? 0 : result;
}

sections_pack *zstd_pack(void)
{
    static bool tried, usable;
    if (!tried) {
        void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
        usable = find(library, "ZSTD_compress", &compress) &&
                 find(library, "ZSTD_isError", &is_error);
        tried = true;
    }
    return usable ? pack : NULL;
}
