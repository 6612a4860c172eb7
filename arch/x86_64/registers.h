/*
 * The registers that unwinding needs, and how frames lie on the stack (System V Application
 * Binary Interface, AMD64 Supplement).
 */
#ifndef TSPROF_ARCH_REGISTERS_H
#define TSPROF_ARCH_REGISTERS_H

#include <stdbool.h>
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
    ARCH_FRAME_OFFSET = -16, /* of arch_frame_address, from the canonical frame address (CFA) */
    ARCH_RED_ZONE_BYTES = 128, /* below the stack pointer; the kernel leaves them alone */
    ARCH_LEAST_PAGE_BYTES = 4096
};

/*
 * Offsets, in bytes, from the stack pointer of a signal's frame: of the ucontext_t, and in it
 * of the registers of the code that the signal interrupted.
 */
enum {
    ARCH_CONTEXT = 0,
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

/* Where the first function of a CONTEXT that makecontext has made returns to. */
static inline uintptr_t arch_context_return(const ucontext_t *context)
{
    return *(const uintptr_t *)arch_interrupted(context).sp;
}

/* Whether a return address may lie at OFFSET from the CFA: calls put it right below. */
static inline bool arch_returns_from(int64_t offset)
{
    return offset == -(int64_t)sizeof(uintptr_t);
}

/* The code address in WORD, which was read where a return address lies. */
static inline uintptr_t arch_code_address(uintptr_t word)
{
    return word;
}

/*
 * If register NUMBER of DWARF has the same value in all frames, sets *VALUE to it: none has.
 */
static inline bool arch_constant_register(uint64_t number, int64_t *value)
{
    (void)number, (void)value;
    return false;
}

/*
 * What functions that are called know of their frame, for those below to use while the function
 * runs: where they have saved their caller's frame pointer, below their return address.
 */
#define ARCH_FRAME() ((const uintptr_t *)__builtin_frame_address(0))

/* What arch_frame_address gives for the function's own frame. */
#define ARCH_FRAME_ADDRESS() ((uintptr_t)__builtin_frame_address(0))

/* What tells the frame FRAME from others: an address on the stack, lower in inner frames. */
static inline uintptr_t arch_frame_address(const uintptr_t *frame)
{
    return (uintptr_t)frame;
}

/* The return address of the function with FRAME. */
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
