/*
 * For unit tests of what a process does once: each test in a process of its own.  Instead of
 * tap.h, which it includes.
 */
#ifndef TSPROF_ALONE_H
#define TSPROF_ALONE_H

#include "tap.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs TEST in a child that goes on counting tests where this process is, and tells it. */
static void alone(void (*test)(void))
{
    unsigned *counts = mmap(NULL, 2 * sizeof *counts, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = -1;
    NEED(counts != MAP_FAILED);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        test();
        counts[0] = tap_run;
        counts[1] = tap_failed;
        fflush(stdout);
        _exit(0);
    }
    NEED(waitpid(child, &status, 0) == child);
    tap_run = counts[0] > tap_run ? counts[0] : tap_run;
    tap_failed = counts[1] > tap_failed ? counts[1] : tap_failed;
    OK(status == 0, "the process ends as it should");
    munmap(counts, 2 * sizeof *counts);
}

#endif
