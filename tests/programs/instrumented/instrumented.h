/*
 * Functions that state how often they were entered, and bounds of the time that those took
 * which only compute, for programs that are compiled with -finstrument-functions.
 */
#ifndef INSTRUMENTED_H
#define INSTRUMENTED_H

#include <stdio.h>
#include <time.h>

#define SILENT __attribute__((no_instrument_function)) static
/* Never inlined, nor changed for its callers. */
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif
#define KEPT APART static

enum { FUNCTIONS_MOST = 32 };

static struct stated {
    const char *name;
    long visits;
    long long least_ns, most_ns; /* 0: it states no time */
} stated[FUNCTIONS_MOST];

/* To be called by one thread at a time. */
SILENT struct stated *state(const char *name)
{
    struct stated *each = stated;
    while (each->name && each->name != name)
        each++;
    each->name = name;
    return each;
}

#define ENTER(name)                                                                            \
    static const char name_[] = name;                                                          \
    state(name_)->visits++

SILENT long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Computes for NS without calling anything that is told of. */
SILENT void compute(long long ns)
{
    const long long end_ns = now_ns() + ns;
    while (now_ns() < end_ns)
        continue;
}

SILENT void print_stated(void)
{
    for (const struct stated *each = stated; each->name; each++)
        printf("%s %ld %lld %lld\n", each->name, each->visits, each->least_ns, each->most_ns);
}

#endif
