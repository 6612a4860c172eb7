/*
 * The program's floating-point control, put aside while tsprof calculates.
 *
 * It may let the processor raise SIGFPE where a division by zero is nothing but a special case
 * here, round upwards, flush small numbers to zero, or look at the exceptions that its own
 * calculations met.  Whatever tsprof calculates in the program's context, outside the sample
 * handler, for which the kernel does the same, lies between these two.  Any context; a few
 * nanoseconds.
 */
#ifndef TSPROF_ARCH_FLOATING_H
#define TSPROF_ARCH_FLOATING_H

#include <stdint.h>
#include <xmmintrin.h>

struct floating {
    unsigned control; /* and status */
};

/* Nothing is trapped and everything rounded to nearest, until floating_end. */
static inline void floating_begin(struct floating *floating)
{
    floating->control = _mm_getcsr();
    _mm_setcsr(0x1f80);
    /* What is calculated below stays below. */
    __asm__ volatile("" ::: "memory");
}

static inline void floating_end(const struct floating *floating)
{
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(floating->control);
}

/* All of the control, of both floating-point units, and the status of the newer one. */
struct floating_state {
    unsigned sse_control;
    uint16_t x87_control;
};

static inline void floating_save_async(struct floating_state *state)
{
    state->sse_control = _mm_getcsr();
    __asm__ volatile("fnstcw %0" : "=m"(state->x87_control));
}

static inline void floating_restore_async(const struct floating_state *state)
{
    _mm_setcsr(state->sse_control);
    __asm__ volatile("fldcw %0" : : "m"(state->x87_control));
}

#endif
