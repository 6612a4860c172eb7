/* See refusal.h. */
#include "launch/refusal.h"

#include "launch/elf_needed.h"

#include <limits.h>
#include <string.h>

const char *refusal_of(const char *program)
{
    char loader[PATH_MAX];
    if (!elf_is_native(program))
        return NULL;
    if (!elf_loader(program, loader, sizeof loader))
        return "it is linked statically, so nothing can be preloaded into it";
    const char *slash = strrchr(loader, '/'), *name = slash ? slash + 1 : loader;
    return strncmp(name, "ld-musl", strlen("ld-musl")) == 0
               ? "it is linked with the C library musl, and the runtime needs glibc"
               : NULL;
}
