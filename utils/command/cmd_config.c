/* tsprof config: every environment variable, its value, and where that comes from. */
#include "command/command.h"

#include "common/settings.h"
#include "print/print.h"

#include <string.h>

extern char **environ;

#define VARIABLE_COLUMNS 20
#define VALUE_COLUMNS    24

static void print_complaint(void *context, const char *message)
{
    (void)context;
    complain("%s", message);
}

static void print_setting(const struct settings *settings, enum setting which)
{
    const struct setting_info *info = &setting_table[which];
    struct text line = {0}, value = {0};
    char allowed[512];
    setting_describe(which, allowed, sizeof allowed);
    text_add_escaped(&value, settings->text[which]);
    text_add_left(&line, info->variable, VARIABLE_COLUMNS);
    text_add_left(&line, value.length ? text_string(&value) : "(nothing)", VALUE_COLUMNS);
    text_addf(&line, " %s", setting_source_name(settings->source[which]));
    printf("%s\n    %s\n    Takes %s; default %s.\n", text_string(&line), info->text, allowed,
           info->standard[0] ? info->standard : "nothing");
    text_free(&line);
    text_free(&value);
}

int cmd_config(const struct command *command, int argc, char **argv)
{
    struct settings settings;
    struct output_file output;
    struct error error;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        printf("usage: tsprof %s\n\n%s.\n", command->name, command->text);
        return EXIT_DONE;
    }
    if (argc > 1) {
        complain("config: takes no arguments, not \"%s\"; see tsprof config --help", argv[1]);
        return EXIT_USAGE;
    }
    settings_load(&settings, environ, print_complaint, NULL);
    output_open(&output, NULL, "", &error);
    for (int i = 0; i < SETTING_COUNT; i++)
        print_setting(&settings, (enum setting)i);
    if (output_close(&output, &error))
        return EXIT_DONE;
    complain("%s", error.text);
    return EXIT_DATA;
}
