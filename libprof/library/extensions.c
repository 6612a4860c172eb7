/* See extensions.h. */
#include "library/extensions.h"

#include "host/host.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NAMES_MOST = 64 };

struct names {
    const char *names[NAMES_MOST]; /* in alphabetical order; the modules' own texts */
    unsigned count;
    bool more; /* there are others */
};

static void add_name(struct names *names, const char *name)
{
    unsigned at = names->count;
    while (at > 0 && strcmp(names->names[at - 1], name) > 0)
        at--;
    if (at > 0 && strcmp(names->names[at - 1], name) == 0)
        return;
    if (names->count == NAMES_MOST) {
        names->more = true;
        return;
    }
    memmove(names->names + at + 1, names->names + at,
            (names->count - at) * sizeof *names->names);
    names->names[at] = name;
    names->count++;
}

/* Fortran's bindings have the same names, in small letters. */
static void take_extension(const char *module, const char *symbol, void *context)
{
    const char *slash = strrchr(module, '/'), *file = slash ? slash + 1 : module;
    if (strncasecmp(symbol, "MPIX_", 5) == 0 && strncmp(file, "libmpi", 6) != 0)
        add_name(context, symbol);
}

void extensions_list(char *text, size_t size)
{
    static const char more[] = ", ...";
    struct names names = {.count = 0};
    size_t used = 0;
    got_visit(take_extension, &names);
    *text = '\0';
    for (unsigned i = 0; i < names.count; i++) {
        if (used + strlen(names.names[i]) + sizeof ", " + sizeof more > size) {
            names.more = true;
            break;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                 names.names[i]);
    }
    if (names.more)
        snprintf(text + used, size - used, "%s", more + (used > 0 ? 0 : 2));
}
