/*
 * Sets the program's floating-point control aside while tsprof computes.
 *
 * The program may have asked for SIGFPE where a division by zero is just a special case for
 * tsprof; it may round upwards, flush denormal numbers to zero, or inspect the exception flags
 * that its own computations have raised.  So whatever tsprof computes in program context stands
 * between floating_begin and floating_end.  (For the sample handler the kernel does the same.)
 * Any context; takes a few nanoseconds.
 */
#ifndef TSPROF_ARCH_FLOATING_H
#define TSPROF_ARCH_FLOATING_H

#include <stdint.h>
#include <xmmintrin.h>

struct floating {
    unsigned control; /* the MXCSR register: control and status */
};

/* Until floating_end nothing traps, and everything is rounded to nearest. */
static inline void floating_begin(struct floating *floating)
{
    floating->control = _mm_getcsr();
    _mm_setcsr(0x1f80);
    /* Keeps the compiler from moving computations up past this point. */
    __asm__ volatile("" ::: "memory");
}

/* Restores what floating_begin has saved. */
static inline void floating_end(const struct floating *floating)
{
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(floating->control);
}

/* The control of both floating-point units, SSE and x87, and the status of SSE. */
struct floating_state {
    unsigned sse_control;
    uint16_t x87_control;
};

/* Saves the control to STATE and leaves it as it is. */
static inline void floating_save_async(struct floating_state *state)
{
    state->sse_control = _mm_getcsr();
    __asm__ volatile("fnstcw %0" : "=m"(state->x87_control));
}

/* Restores the control from STATE. */
static inline void floating_restore_async(const struct floating_state *state)
{
    _mm_setcsr(state->sse_control);
    __asm__ volatile("fldcw %0" : : "m"(state->x87_control));
}

#endif
