/* Messages on stderr.  See complaint.h. */
#include "complaint.h"

#include "text.h"

#include <stdarg.h>
#include <stdio.h>

bool error_set(struct error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

void complain(const char *format, ...)
{
    char plain[2304];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(plain, sizeof plain, format, arguments);
    va_end(arguments);
    struct text line = {0};
    text_add_escaped(&line, plain);
    fprintf(stderr, "tsprof: %s\n", text_string(&line));
    text_free(&line);
}
