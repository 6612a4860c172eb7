/*
 * The registers that unwinding needs, and how frames lie on the stack (Procedure Call Standard
 * for the Arm 64-bit Architecture, DWARF for the Arm 64-bit Architecture).
 */
#ifndef TSPROF_ARCH_REGISTERS_H
#define TSPROF_ARCH_REGISTERS_H

#include <asm/hwcap.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <ucontext.h>

/* The registers of a frame. */
struct registers {
    uintptr_t pc; /* where to look up the frame's unwind rule: for a caller, its return address
                     minus one */
    uintptr_t sp; /* the stack pointer in the frame */
    uintptr_t fp; /* the frame pointer register in the frame */
};

/*
 * Register numbers in DWARF.  The auxiliary register is the link register, x30: a function that
 * calls no other leaves its return address there.
 */
enum arch_dwarf_register {
    ARCH_DWARF_RESULTS = 4, /* registers with lower numbers return results */
    ARCH_DWARF_KEPT = 19,   /* the first of those that calls keep, besides the frame pointer */
    ARCH_DWARF_FP = 29,
    ARCH_DWARF_AUX = 30,
    ARCH_DWARF_SP = 31,
    ARCH_DWARF_PC = 32,
    ARCH_DWARF_VECTOR = 46 /* the length of a scalable vector (SVE), in words of 64 bits */
};

/* How many registers are followed of those that calls keep: see arch_read_kept. */
enum { ARCH_KEPT_OTHERS = 4, ARCH_KEPT = 2 + ARCH_KEPT_OTHERS };

enum {
    ARCH_FRAME_OFFSET = 0,   /* of arch_frame_address, from the canonical frame address (CFA) */
    ARCH_RED_ZONE_BYTES = 0, /* below the stack pointer; the kernel leaves them alone */
    ARCH_LEAST_PAGE_BYTES = 4096
};

/*
 * Offsets, in bytes, from the stack pointer of a signal's frame, where a siginfo_t lies: of the
 * ucontext_t, and in it of the registers of the code that the signal interrupted.
 */
enum {
    ARCH_CONTEXT = sizeof(siginfo_t),
    ARCH_CONTEXT_PC = ARCH_CONTEXT + offsetof(ucontext_t, uc_mcontext.pc),
    ARCH_CONTEXT_SP = ARCH_CONTEXT + offsetof(ucontext_t, uc_mcontext.sp),
    ARCH_CONTEXT_FP =
        ARCH_CONTEXT + offsetof(ucontext_t, uc_mcontext.regs) + 29 * sizeof(uint64_t),
    ARCH_CONTEXT_AUX =
        ARCH_CONTEXT + offsetof(ucontext_t, uc_mcontext.regs) + 30 * sizeof(uint64_t)
};

/* The registers of the code that a signal interrupted. */
static inline struct registers arch_interrupted(const ucontext_t *context)
{
    const mcontext_t *saved = &context->uc_mcontext;
    return (struct registers){.pc = saved->pc, .sp = saved->sp, .fp = saved->regs[29]};
}

/* Its auxiliary register. */
static inline uintptr_t arch_interrupted_aux(const ucontext_t *context)
{
    return context->uc_mcontext.regs[30];
}

/* What is in the registers where this stands: x30, the frame pointer, and x19 to x22. */
static inline __attribute__((always_inline)) void arch_read_kept(struct registers *at,
                                                                 uintptr_t kept[ARCH_KEPT])
{
    __asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29"
                     : "=r"(at->pc), "=r"(at->sp), "=r"(at->fp));
    __asm__ volatile("stp x30, x29, [%0]\n\t"
                     "stp x19, x20, [%0, #16]\n\t"
                     "stp x21, x22, [%0, #32]"
                     :
                     : "r"(kept)
                     : "memory");
}

/* The index in such an array of the register that effect.h calls NUMBER, the frame pointer. */
static inline unsigned arch_kept_index(unsigned number)
{
    (void)number;
    return 1;
}

/* Where the first function of a CONTEXT that makecontext has made returns to. */
static inline uintptr_t arch_context_return(const ucontext_t *context)
{
    return context->uc_mcontext.regs[30];
}

/* Whether a return address may lie at OFFSET from the CFA: wherever the function has put it. */
static inline bool arch_returns_from(int64_t offset)
{
    return offset < 0 && offset == (int32_t)offset && offset % (int64_t)sizeof(uintptr_t) == 0;
}

/* The code address in WORD, which a function may have signed (pointer authentication). */
static inline uintptr_t arch_code_address(uintptr_t word)
{
    /* "hint #7" is xpaclri, which strips x30; processors that do not sign do nothing. */
    register uintptr_t address __asm__("x30") = word;
    __asm__("hint #7" : "+r"(address));
    return address;
}

/*
 * If register NUMBER of DWARF has the same value in all frames, sets *VALUE to it: the length
 * of vectors does, which frames that keep vectors are measured in.
 */
static inline bool arch_constant_register(uint64_t number, int64_t *value)
{
    if (number != ARCH_DWARF_VECTOR || !(getauxval(AT_HWCAP) & HWCAP_SVE))
        return false;
    /* cntd, which assemblers take only where they are told that vectors are there */
    register int64_t words __asm__("x0");
    __asm__(".inst 0x04e0e3e0" : "=r"(words));
    *value = words;
    return true;
}

/*
 * What functions that are called know of their frame, for those below to use while the function
 * runs.  (A frame's size, and with it the caller's stack pointer, is not to be seen from the
 * frame pointer.)
 */
#define ARCH_FRAME()                                                                           \
    ((const uintptr_t *)(const uintptr_t[]){*(const uintptr_t *)__builtin_frame_address(0),    \
                                            (uintptr_t)__builtin_return_address(0),            \
                                            (uintptr_t)__builtin_dwarf_cfa()})

/* What arch_frame_address gives for the function's own frame. */
#define ARCH_FRAME_ADDRESS() ((uintptr_t)__builtin_dwarf_cfa())

/* What tells the frame FRAME from others: an address on the stack, lower in inner frames. */
static inline uintptr_t arch_frame_address(const uintptr_t *frame)
{
    return frame[2];
}

/* The return address of the function with FRAME. */
static inline uintptr_t arch_return_address(const uintptr_t *frame)
{
    return frame[1];
}

/* The registers of that function's caller, after the return to RETURN_ADDRESS. */
static inline struct registers arch_caller(const uintptr_t *frame, uintptr_t return_address)
{
    return (struct registers){.pc = return_address - 1, .sp = frame[2], .fp = frame[0]};
}

#endif
