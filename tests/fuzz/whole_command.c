/* The command as a function, for programs that call it often.  See whole_command.h. */
#include "whole_command.h"

#define main tsprof_main
#include "../../utils/command/main.c"

/* Nobody asks which commit is fuzzed. */
const char command_revision[] = "";
