/*
 * SIGTRAP at a given place, and after every instruction where a program can ask for that
 * itself.
 */
#ifndef TSPROF_TEST_TRAP_H
#define TSPROF_TEST_TRAP_H

#include <ucontext.h>

#if defined(__x86_64__)

enum { CAN_STEP = 1 };

/* A trap, and nothing else. */
#define TRAP() __asm__ volatile("int3")

/* To be called by the handler of a TRAP: goes on behind it. */
static inline void trap_passed(ucontext_t *context)
{
    (void)context;
}

/* Changes the processor's flags, below the red zone. */
#define TRAP_FLAGS(change)                                                                     \
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t" change ", (%%rsp)\n\tpopfq\n\t"    \
                     "lea 128(%%rsp), %%rsp" ::                                                \
                         : "memory", "cc")

/* From the next instruction on a trap after each. */
static inline __attribute__((always_inline)) void trap_every_instruction(void)
{
    TRAP_FLAGS("orq $0x100");
}

/* No more of them. */
static inline __attribute__((always_inline)) void trap_no_instruction(void)
{
    TRAP_FLAGS("andq $-0x101");
}

#elif defined(__aarch64__)

enum { CAN_STEP = 0 };

#define TRAP() __asm__ volatile("brk #0")

static inline void trap_passed(ucontext_t *context)
{
    context->uc_mcontext.pc += 4;
}

/* Only a debugger can. */
static inline void trap_every_instruction(void)
{
}

static inline void trap_no_instruction(void)
{
}

#endif

#endif
