/*
 * A test program's voice: the Test Anything Protocol with the plan at the end.
 *
 * For programs in tests/unit only; include it in one source file per program, since the
 * counters are static.  Not for several threads.  A failed check never ends the program, so
 * that one run shows every failure; main ends with `return tap_done();`.  Only where what a
 * test begins with cannot be had, NEED ends it.
 */
#ifndef TSPROF_TAP_H
#define TSPROF_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned tap_run;
static unsigned tap_failed;

/* OK(condition, format, ...): one test, named by the format, that passes if condition is true.
 */
#define OK(condition, ...) tap_check(!!(condition), #condition, __FILE__, __LINE__, __VA_ARGS__)

/* EQ_INT(a, b, format, ...): passes if two integers that fit intmax_t are equal. */
#define EQ_INT(a, b, ...)                                                                      \
    tap_check_int((intmax_t)(a), (intmax_t)(b), #a, #b, __FILE__, __LINE__, __VA_ARGS__)

/* Prints "ok" or "not ok" for one test; the work behind the macros. */
static inline void tap_result(bool passed, const char *format, va_list arguments)
{
    printf("%s %u - ", passed ? "ok" : "not ok", ++tap_run);
    vprintf(format, arguments);
    putchar('\n');
    tap_failed += !passed;
}

__attribute__((format(printf, 5, 6))) static inline bool
tap_check(bool passed, const char *text, const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tap_result(passed, format, arguments);
    va_end(arguments);
    if (!passed)
        printf("# %s:%d: false: %s\n", file, line, text);
    fflush(stdout);
    return passed;
}

__attribute__((format(printf, 7, 8))) static inline bool
tap_check_int(intmax_t a, intmax_t b, const char *a_text, const char *b_text, const char *file,
              int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tap_result(a == b, format, arguments);
    va_end(arguments);
    if (a != b)
        printf("# %s:%d: %s is %jd, %s is %jd\n", file, line, a_text, a, b_text, b);
    fflush(stdout);
    return a == b;
}

/* NEED(condition): no test, but what the following ones cannot do without. */
#define NEED(condition) tap_need(!!(condition), #condition, __FILE__, __LINE__)

static inline void tap_need(bool there, const char *text, const char *file, int line)
{
    if (there)
        return;
    printf("Bail out! %s:%d: false: %s\n", file, line, text);
    exit(1);
}

/*
 * What loops over thousands of like cases go on by: 1, or more where every case takes long, as
 * under valgrind; then TAP_STRIDE in the environment says how many.
 */
static inline unsigned tap_stride(void)
{
    const char *text = getenv("TAP_STRIDE");
    unsigned stride = text ? (unsigned)strtoul(text, NULL, 10) : 1;
    return stride ? stride : 1;
}

/* Of so many cases those that are tried. */
static inline unsigned tap_tried(unsigned cases)
{
    return (cases + tap_stride() - 1) / tap_stride();
}

/* Prints the plan; the exit status of the program: 0 if every test passed, 1 otherwise. */
static inline int tap_done(void)
{
    printf("1..%u\n", tap_run);
    if (tap_failed)
        printf("# %u of %u failed\n", tap_failed, tap_run);
    return tap_failed != 0;
}

#endif
