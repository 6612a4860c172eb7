/* See archive_place.h. */
#include "events/archive_place.h"

#include "print/print.h"

#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, const char *suffix)
{
    const size_t length = strlen(text), end = strlen(suffix);
    return length > end && strcmp(text + length - end, suffix) == 0;
}

static char *join(const char *path, size_t length, const char *ending)
{
    struct text text = {0};
    text_add_bytes(&text, path, length);
    text_add(&text, ending);
    text_add_bytes(&text, "", 1);
    return text.bytes;
}

char *archive_place(const char *path)
{
    static const char ending[] = ".tsprof";
    const size_t length = strlen(path) - (ends_with(path, ending) ? sizeof ending - 1 : 0);
    return join(path, length, ".otf2");
}
