/* tsprof exec: becomes the program, with the runtime preloaded. */
#include "command.h"
#include "launch.h"
#include "options.h"
#include "text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Puts RUNTIME before what is preloaded already, unless it is there. */
static void preload(const char *runtime)
{
    const char *before = getenv("LD_PRELOAD");
    struct text list = {0};
    if (before && strstr(before, runtime))
        return;
    text_add(&list, runtime);
    if (before && before[0])
        text_addf(&list, ":%s", before);
    setenv("LD_PRELOAD", text_string(&list), 1);
    text_free(&list);
}

int cmd_exec(const struct command *command, int argc, char **argv)
{
    char self[PATH_MAX], runtime[PATH_MAX];
    struct error error;
    int first = 1;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        options_help(command);
        return EXIT_DONE;
    }
    if (first < argc && strcmp(argv[first], "--") == 0)
        first++;
    else if (first < argc && argv[first][0] == '-') {
        complain("exec: no such option: %s; see tsprof exec --help", argv[first]);
        return EXIT_USAGE;
    }
    if (first >= argc) {
        complain("exec: the PROGRAM is missing; see tsprof exec --help");
        return EXIT_USAGE;
    }
    if (!own_path(self, sizeof self, &error) ||
        !find_runtime(self, runtime, sizeof runtime, &error)) {
        complain("%s", error.text);
        return EXIT_NOT_FOUND;
    }
    preload(runtime);
    return launch(argv + first);
}
