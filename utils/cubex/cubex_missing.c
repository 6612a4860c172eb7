/* In the place of the CUBE export where tsprof was built without libxml2. */
#include "cubex/cubex.h"

#include <string.h>

bool export_has_cubex(const char *what)
{
    return strcmp(what, EXPORT_CUBEX) == 0;
}

int export_cubex(const struct export *export)
{
    (void)export;
    complain("export: this tsprof was built without libxml2, which --format cubex needs");
    return EXIT_USAGE;
}
