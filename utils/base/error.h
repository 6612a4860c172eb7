/*
 * Why something failed, in words for the user, and the exit statuses of the command.
 */
#ifndef TSPROF_ERROR_H
#define TSPROF_ERROR_H

#include <stdbool.h>

enum exit_status {
    EXIT_DONE = 0,
    EXIT_DATA = 1,  /* the file or what is in it is at fault */
    EXIT_USAGE = 2, /* the command line is at fault */
    EXIT_NOT_RUN = 126,
    EXIT_NOT_FOUND = 127 /* a program that could not be started, as a shell says it */
};

/* Why a function failed, for people.  Written once, where the cause is known. */
struct error {
    char text[2048];
};

/* Fills ERROR and returns false, so that a caller can `return error_set(...)`. */
bool error_set(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
