/* Colours on a terminal.  See style.h. */
#include "report/style.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Of the 256 colours that terminals do not change: #5f5fff and #af5f00 have contrasts of 4.5 to
 * black and to white, and differ in blue against yellow, which nearly everybody sees.
 */
static const struct palette coloured = {
    .begin = {[STYLE_TITLE] = "\x1b[1m",
              [STYLE_MPI] = "\x1b[38;5;63m",
              [STYLE_ATTENTION] = "\x1b[1;38;5;130m"},
    .end = "\x1b[0m",
};

static const struct palette plain = {
    .begin = {[STYLE_TITLE] = "", [STYLE_MPI] = "", [STYLE_ATTENTION] = ""},
    .end = "",
};

static bool is_wanted(void)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !(refused && refused[0]) && terminal && terminal[0] &&
           strcmp(terminal, "dumb") != 0 && isatty(STDOUT_FILENO);
}

const struct palette *palette_for(const char *when)
{
    if (!when || strcmp(when, "auto") == 0)
        return is_wanted() ? &coloured : &plain;
    if (strcmp(when, "always") == 0)
        return &coloured;
    return strcmp(when, "never") == 0 ? &plain : NULL;
}

void style_add(struct text *text, const struct palette *palette, enum style style,
               const char *string)
{
    text_add(text, palette->begin[style]);
    text_add(text, string);
    text_add(text, palette->end);
}
