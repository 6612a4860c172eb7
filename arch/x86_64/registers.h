/*
 * The registers that unwinding needs, and how frames lie on the stack (System V Application
 * Binary Interface, AMD64 Supplement).
 */
#ifndef TSPROF_ARCH_REGISTERS_H
#define TSPROF_ARCH_REGISTERS_H

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* The registers of a frame. */
struct registers {
    uintptr_t pc; /* where to look up the frame's unwind rule: for a caller, its return address
                     minus one */
    uintptr_t sp; /* the stack pointer in the frame */
    uintptr_t fp; /* the frame pointer register in the frame */
};

/*
 * Register numbers in DWARF.  The auxiliary register is rbx: the loader addresses its own frame
 * by it while it binds a function.
 */
enum arch_dwarf_register {
    ARCH_DWARF_RESULTS = 2, /* registers with lower numbers return results */
    ARCH_DWARF_AUX = 3,
    ARCH_DWARF_FP = 6,
    ARCH_DWARF_SP = 7,
    ARCH_DWARF_KEPT = 12, /* the first of those that calls keep, besides the two above */
    ARCH_DWARF_PC = 16
};

/* How many registers calls keep: the auxiliary one, the frame pointer, and the others. */
enum { ARCH_KEPT_OTHERS = 4, ARCH_KEPT = 2 + ARCH_KEPT_OTHERS };

enum {
    ARCH_RETURN_OFFSET = -8, /* of the return address, from the canonical frame address (CFA) */
    ARCH_SAVED_FP_OFFSET = -16, /* of a frame pointer that was pushed first, from the CFA */
    ARCH_RED_ZONE_BYTES = 128,  /* below the stack pointer; the kernel leaves them alone */
    ARCH_LEAST_PAGE_BYTES = 4096
};

/* Offsets in a ucontext_t, in bytes, of the registers of the code that a signal interrupted. */
enum {
    ARCH_CONTEXT_PC = offsetof(ucontext_t, uc_mcontext.gregs) + REG_RIP * sizeof(greg_t),
    ARCH_CONTEXT_SP = offsetof(ucontext_t, uc_mcontext.gregs) + REG_RSP * sizeof(greg_t),
    ARCH_CONTEXT_FP = offsetof(ucontext_t, uc_mcontext.gregs) + REG_RBP * sizeof(greg_t),
    ARCH_CONTEXT_AUX = offsetof(ucontext_t, uc_mcontext.gregs) + REG_RBX * sizeof(greg_t)
};

/* The registers of the code that a signal interrupted. */
static inline struct registers arch_interrupted(const ucontext_t *context)
{
    const greg_t *saved = context->uc_mcontext.gregs;
    return (struct registers){.pc = (uintptr_t)saved[REG_RIP],
                              .sp = (uintptr_t)saved[REG_RSP],
                              .fp = (uintptr_t)saved[REG_RBP]};
}

/* Its auxiliary register. */
static inline uintptr_t arch_interrupted_aux(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RBX];
}

/* What is in the registers where this stands. */
static inline __attribute__((always_inline)) void arch_read_kept(struct registers *at,
                                                                 uintptr_t kept[ARCH_KEPT])
{
    __asm__ volatile("leaq 0(%%rip), %%rax\n\t"
                     "movq %%rax, %0\n\t"
                     "movq %%rsp, %1\n\t"
                     "movq %%rbp, %2\n\t"
                     : "=m"(at->pc), "=m"(at->sp), "=m"(at->fp)
                     :
                     : "rax");
    __asm__ volatile("movq %%rbx, (%0)\n\t"
                     "movq %%rbp, 8(%0)\n\t"
                     "movq %%r12, 16(%0)\n\t"
                     "movq %%r13, 24(%0)\n\t"
                     "movq %%r14, 32(%0)\n\t"
                     "movq %%r15, 40(%0)\n\t"
                     :
                     : "a"(kept)
                     : "memory");
}

/* The index in such an array of the register that instructions call NUMBER. */
static inline unsigned arch_kept_index(unsigned number)
{
    return number == 3 ? 0 : number == 5 ? 1 : number - 10;
}

/* Where the return address of the frame with this CFA lies. */
static inline uintptr_t *arch_return_slot(uintptr_t cfa)
{
    return (uintptr_t *)(cfa + (uintptr_t)ARCH_RETURN_OFFSET);
}

/* The return address of a function that has saved its caller's frame pointer at FRAME. */
static inline uintptr_t arch_return_address(const uintptr_t *frame)
{
    return frame[1];
}

/* The registers of that function's caller, after the return to RETURN_ADDRESS. */
static inline struct registers arch_caller(const uintptr_t *frame, uintptr_t return_address)
{
    return (struct registers){
        .pc = return_address - 1, .sp = (uintptr_t)(frame + 2), .fp = frame[0]};
}

#endif
