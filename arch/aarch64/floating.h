/*
 * Sets the program's floating-point control aside while tsprof computes.
 *
 * The program may round upwards, flush denormal numbers to zero, have exceptions trap, or
 * inspect the flags that its own computations have raised.  So whatever tsprof computes in
 * program context stands between floating_begin and floating_end.  Any context; takes a few
 * nanoseconds.
 */
#ifndef TSPROF_ARCH_FLOATING_H
#define TSPROF_ARCH_FLOATING_H

#include <stdint.h>

struct floating {
    uint64_t control; /* the register FPCR */
    uint64_t status;  /* the register FPSR */
};

/* Writing it costs far more than reading, and it is nearly always the same. */
static inline void floating_set_control(uint64_t control)
{
    uint64_t now;
    __asm__ volatile("mrs %0, fpcr" : "=r"(now));
    if (now != control)
        __asm__ volatile("msr fpcr, %0" : : "r"(control));
}

/* Until floating_end nothing traps, and everything is rounded to nearest. */
static inline void floating_begin(struct floating *floating)
{
    __asm__ volatile("mrs %0, fpcr" : "=r"(floating->control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(floating->status));
    floating_set_control(0);
    /* Keeps the compiler from moving computations up past this point. */
    __asm__ volatile("" ::: "memory");
}

/* Restores what floating_begin has saved. */
static inline void floating_end(const struct floating *floating)
{
    __asm__ volatile("" ::: "memory");
    floating_set_control(floating->control);
    __asm__ volatile("msr fpsr, %0" : : "r"(floating->status));
}

/* The control of the floating-point unit, and the flags that are raised. */
struct floating_state {
    uint64_t control, status;
};

/* Saves the control to STATE and leaves it as it is. */
static inline void floating_save_async(struct floating_state *state)
{
    __asm__ volatile("mrs %0, fpcr" : "=r"(state->control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(state->status));
}

/* Restores the control from STATE. */
static inline void floating_restore_async(const struct floating_state *state)
{
    floating_set_control(state->control);
    __asm__ volatile("msr fpsr, %0" : : "r"(state->status));
}

#endif
