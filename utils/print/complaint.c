/* Messages on stderr.  See complaint.h. */
#include "print/complaint.h"

#include "print/text.h"

#include <stdarg.h>
#include <stdio.h>

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
