/* See outside.h. */
#include "library/outside.h"

#include "host/host.h"
#include "library/mpi_real.h"
#include "library/undefined.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char more[] = " ...";

static struct {
    char text[4096];
    bool full;
} names;

/* In C, or as Fortran compilers write it; by its profiling name, too. */
static bool is_outside(const char *name)
{
    return strncasecmp(name, "MPIX_", 5) == 0 || strncasecmp(name, "PMPIX_", 6) == 0;
}

/* As compilers write it: Fortran's names are in small letters and end in an underscore. */
static bool is_binding(const char *name, const char *const *bindings)
{
    for (; *bindings; bindings++)
        if (fnmatch(*bindings, name + (*name == 'p'), 0) == 0)
            return true;
    return false;
}

static bool is_listed(const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names.text; (at = strstr(at, name)); at += length)
        if ((at == names.text || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static void list(const char *name)
{
    const size_t used = strlen(names.text);
    names.full = names.full || used + 1 + strlen(name) + sizeof more > sizeof names.text;
    snprintf(names.text + used, sizeof names.text - used, "%s%s", used ? " " : "",
             names.full ? more + 1 : name);
}

static void visit(void *context, const char *name)
{
    const char *const *bindings = context;
    /* A reference that may stay without a definition (a weak one) is no call. */
    if (!names.full && (is_outside(name) || is_binding(name, bindings)) && !is_listed(name) &&
        mpi_real_symbol(name))
        list(name);
}

/* Its parts call each other; what the program calls there is a reference of the program. */
static bool is_mpi_library(const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    return strstr(file, "libmpi") || strstr(file, "libpmpi");
}

void outside_find(const char *const *bindings)
{
    struct modmap map;
    modmap_load(&map);
    for (size_t i = 0; i < map.count; i++)
        if (*map.modules[i].path && !is_mpi_library(map.modules[i].path))
            undefined_each(map.modules[i].path, visit, (void *)bindings);
    modmap_free(&map);
}

const char *outside_names(void)
{
    return names.text;
}
