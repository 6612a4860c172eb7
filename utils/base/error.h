/*
 * How functions report failure, as a message for the user, and the command's exit statuses.
 */
#ifndef TSPROF_ERROR_H
#define TSPROF_ERROR_H

#include <stdbool.h>

enum exit_status {
    EXIT_DONE = 0,
    EXIT_DATA = 1,       /* a file, or what it contains, is at fault */
    EXIT_USAGE = 2,      /* the command line is at fault */
    EXIT_NOT_RUN = 126,  /* as in shells: a program could not be started */
    EXIT_NOT_FOUND = 127 /* as in shells: there is no such program */
};

/* The message of a function that failed.  Written once, by whoever knows the cause. */
struct error {
    char text[2048];
};

/* Fills ERROR and returns false, so that a caller can `return error_set(...)`. */
bool error_set(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
