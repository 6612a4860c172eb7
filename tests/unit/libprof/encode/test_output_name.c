/* The summary's name from TSPROF_OUTPUT. */
#include "encode/output_name.h"

#include "host/clock.h"
#include "host/config.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *expand(const char *pattern, const char *suffix, int copy)
{
    static char name[4000];
    config.text[SETTING_OUTPUT] = pattern;
    output_name_find(8, suffix, copy, name, sizeof name);
    return name;
}

static bool expands_to(const char *pattern, const char *suffix, int copy, const char *wanted)
{
    const char *name = expand(pattern, suffix, copy);
    if (strcmp(name, wanted) != 0)
        printf("# \"%s\" instead of \"%s\"\n", name, wanted);
    return strcmp(name, wanted) == 0;
}

static void test_what_stands_after_a_percent_sign(void)
{
    char wanted[64];
    setenv("SLURM_JOB_ID", "4711", 1);
    OK(expands_to("%e.tsprof", "", 0, "test_output_name.tsprof"), "%%e is the program");
    OK(expands_to("a.%j.tsprof", "", 0, "a.4711.tsprof"), "%%j is the batch system's job");
    OK(expands_to("a.%n.tsprof", "", 0, "a.8.tsprof"), "%%n is the number of ranks");
    OK(expands_to("100%%.tsprof", "", 0, "100%.tsprof"), "%%%% is one of them");
    OK(expands_to("a%xb%", "", 0, "a%xb%"), "others stay");
    unsetenv("SLURM_JOB_ID");
    snprintf(wanted, sizeof wanted, "a.%d.tsprof", (int)getpid());
    OK(expands_to("a.%j.tsprof", "", 0, wanted), "without a batch system %%j is the process");
    setenv("PBS_JOBID", "../../etc/passwd", 1);
    OK(expands_to("a.%j.tsprof", "", 0, wanted), "a job id with a slash is none");
    measurement_clock.epoch_ns = INT64_C(86400000000000);
    OK(expands_to("%t", "", 0, "19700102T000000Z"), "%%t is the start in UTC");
}

static void test_suffixes_and_copies_go_before_the_ending(void)
{
    OK(expands_to("a.tsprof", ".rank3", 0, "a.rank3.tsprof"), "a rank");
    OK(expands_to("a.tsprof", "", 2, "a.2.tsprof"), "a copy");
    OK(expands_to("a.tsprof", ".rank3", 2, "a.rank3.2.tsprof"), "both");
    OK(expands_to("a.out", ".rank3", 2, "a.out.rank3.2"), "after any other ending");
    OK(expands_to(".tsprof", "", 1, ".tsprof.1"), "nothing but an ending");
    OK(expands_to("dir.tsprof/a", "", 1, "dir.tsprof/a.1"), "directories are left alone");
}

static void test_spawned_processes_have_names_of_their_own(void)
{
    output_name_set_spawned();
    OK(expands_to("a.tsprof", "", 0, "a.spawn1.tsprof"), "the first summary of some");
    OK(expands_to("a.tsprof", "", 1, "a.spawn2.tsprof"), "the next");
    OK(expands_to("a.tsprof", ".rank3", 1, "a.spawn2.rank3.tsprof"), "of a process alone");
}

static void test_long_names_are_cut(void)
{
    static char pattern[9000];
    memset(pattern, 'a', sizeof pattern - 1);
    OK(strlen(expand(pattern, ".rank1", 1)) < 4000, "to what fits");
}

int main(void)
{
    test_what_stands_after_a_percent_sign();
    test_suffixes_and_copies_go_before_the_ending();
    test_long_names_are_cut();
    test_spawned_processes_have_names_of_their_own();
    return tap_done();
}
