/* The line that a run leaves: what is in it, and what is left out when names are long. */
#include "host/last_line.h"
#include "host/message.h"

#include "tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char said[4096];

/* Stores in `said` what the line is.  Standard error is a file meanwhile. */
static void hear(void)
{
    FILE *file = tmpfile();
    const int before = dup(STDERR_FILENO);
    if (!file || before < 0 || dup2(fileno(file), STDERR_FILENO) < 0)
        return;
    message_start();
    last_line_say();
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
}

static void hears(const char *line, const char *what)
{
    OK(strcmp(said, line) == 0, "%s: %s", what, said);
}

static void test_what_is_in_it(void)
{
    last_line_add("%d iterations of \"%s\"", 12, "main loop");
    last_line_add("the events of %d", 3);
    last_line_set("a b.tsprof", "the measurement of %d processes", 4);
    hear();
    hears("tsprof: the measurement of 4 processes is in a b.tsprof: 12 iterations of "
          "\"main loop\"; the events of 3; view it with: tsprof report 'a b.tsprof'\n",
          "remarks stand behind the name, in their order");
    last_line_set("c.tsprof", "the measurement of 1 process");
    hear();
    hears("tsprof: the measurement of 1 process is in c.tsprof; view it with: tsprof report "
          "c.tsprof\n",
          "and are forgotten then");
    last_line_add("something");
    hear();
    hears("", "without a summary there is no line");
}

static void test_too_many(void)
{
    int there = 0;
    while (there < 100 && last_line_add("remark %03d of some length, to be left out", there))
        there++;
    OK(there > 5 && there < 100, "there is room for some remarks: %d", there);
    OK(last_line_add("short"), "and for a shorter one when there is none for another long one");
    last_line_set("c.tsprof", "the measurement of 1 process");
    hear();
    char last[64], none[64];
    snprintf(last, sizeof last, "remark %03d of some length, to be left out; short;",
             there - 1);
    snprintf(none, sizeof none, "remark %03d", there);
    OK(strstr(said, last) && !strstr(said, none), "what did not fit is left out: %s", said);
}

static void test_long_names(void)
{
    char name[2000];
    memset(name, 'n', 450);
    name[450] = '\0';
    last_line_add("%s", "a remark");
    last_line_set(name, "the measurement of 1 process");
    hear();
    OK(strstr(said, "tsprof report nnn") && !strstr(said, "a remark") &&
           said[strlen(said) - 1] == '\n',
       "the command matters more than remarks");
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    last_line_set(name, "the measurement of 1 process");
    hear();
    OK(strlen(said) <= 1000 && strchr(said, '\n') == said + strlen(said) - 1,
       "a name that does not fit is cut: %zu bytes", strlen(said));
    last_line_add("%s", name);
    last_line_add("short");
    last_line_set("x", "y");
    hear();
    hears("tsprof: y is in x: short; view it with: tsprof report x\n",
          "a remark that does not fit is left out whole");
}

int main(void)
{
    test_what_is_in_it();
    test_too_many();
    test_long_names();
    return tap_done();
}
