/* The lines of `tsprof info`.  See info.h. */
#include "info/info.h"

#include "file/file.h"

#include <stdio.h>

#define LABEL_COLUMNS 13

void info_line(const char *label, struct text *text)
{
    struct text line = {0};
    text_add_left(&line, label, LABEL_COLUMNS);
    text_add_escaped(&line, text_string(text));
    printf("%s\n", text_string(&line));
    text_free(&line);
    text_free(text);
}

void info_fact(const struct summary *summary, const char *label, const char *key)
{
    const char *value = summary_fact(summary, key);
    struct text text = {0};
    if (!value || !value[0])
        return;
    text_add(&text, value);
    info_line(label, &text);
}
