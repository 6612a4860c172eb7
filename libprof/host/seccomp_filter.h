/* What a seccomp filter will say to system calls, found out before it is installed. */
#ifndef TSPROF_SECCOMP_FILTER_H
#define TSPROF_SECCOMP_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Whether FILTER, of COUNT instructions, allows system call NUMBER whatever its arguments are.
 * False also where that cannot be told: the filter is not valid, or too complicated.  Any
 * context.
 */
bool seccomp_filter_allows(const struct sock_filter *filter, size_t count, int number);

#endif
