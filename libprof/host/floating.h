/*
 * The program's floating-point control, put aside while tsprof calculates.
 *
 * It may let the processor raise SIGFPE where a division by zero is nothing but a special case
 * here, round upwards, flush small numbers to zero, or look at the exceptions that its own
 * calculations met.  Whatever tsprof calculates in the program's context, outside the sample
 * handler, for which the kernel does the same, lies between these two.  Any context; a few
 * nanoseconds.
 */
#ifndef TSPROF_FLOATING_H
#define TSPROF_FLOATING_H

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

struct floating {
    unsigned control; /* and status */
};

/* Nothing is trapped and everything rounded to nearest, until floating_end. */
static inline void floating_begin(struct floating *floating)
{
#if defined(__x86_64__)
    floating->control = _mm_getcsr();
    _mm_setcsr(0x1f80);
    /* What is calculated below stays below. */
    __asm__ volatile("" ::: "memory");
#else
    floating->control = 0;
#endif
}

static inline void floating_end(const struct floating *floating)
{
#if defined(__x86_64__)
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(floating->control);
#else
    (void)floating;
#endif
}

#endif
