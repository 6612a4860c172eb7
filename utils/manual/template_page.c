/* Pages that are written by hand but for their lists.  See manual.h. */
#include "manual/manual.h"

#include "common/settings.h"
#include "manual/roff.h"

#include <string.h>

static void write_commands(FILE *out)
{
    for (size_t i = 0; i < command_count; i++) {
        fputs(".TP\n.BR tsprof\\-", out);
        roff_words(out, commands[i].name);
        fputs(" (1)\n", out);
        roff_words(out, commands[i].text);
        fputs(".\n", out);
    }
}

static void write_variables(FILE *out)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const struct setting_info *info = &setting_table[i];
        char allowed[512];
        setting_describe((enum setting)i, allowed, sizeof allowed);
        roff_term(out, info->variable, strlen(info->variable));
        roff_words(out, info->text);
        fputs(".\nTakes ", out);
        roff_words(out, allowed);
        fputs("; default ", out);
        roff_words(out, info->standard[0] ? info->standard : "nothing");
        fputs(".\n", out);
    }
}

void manual_page(FILE *out, FILE *template)
{
    char line[512], name[64];
    int section;
    while (fgets(line, sizeof line, template)) {
        if (sscanf(line, "@TITLE %63s %d@", name, &section) == 2)
            roff_title(out, name, section);
        else if (strcmp(line, "@COMMANDS@\n") == 0)
            write_commands(out);
        else if (strcmp(line, "@VARIABLES@\n") == 0)
            write_variables(out);
        else
            fputs(line, out);
    }
}
