/*
 * Call-frame information, read as rules: where the caller's registers are, relative to the
 * registers at an address of the program (DWARF 4, section 6.4).
 *
 * An unwinder would run the same instructions to compute the values of one frame; here the rule
 * itself is wanted, which holds for every frame at that address.  So registers have no values,
 * and expressions are evaluated over sums of a register and a number.
 *
 * Any context: reads nothing but the module, takes no lock, calls nothing outside this folder,
 * and needs about a kilobyte of stack.
 */
#ifndef TSPROF_CFI_H
#define TSPROF_CFI_H

#include "arch/arch.h"
#include "dwarf/ehframe.h"

#include <stdbool.h>
#include <stdint.h>

enum cfi_base {
    CFI_UNKNOWN, /* a rule cannot express it */
    CFI_NUMBER,
    CFI_SP,  /* the stack pointer at the address */
    CFI_FP,  /* the frame pointer register there */
    CFI_AUX, /* the auxiliary register there, see arch/; a return address may be in it */
    CFI_CFA, /* the canonical frame address */
    CFI_SAME /* the register itself */
};

/* base + offset or, if LOADED, the word that lies there. */
struct cfi_value {
    enum cfi_base base;
    bool loaded;
    int64_t offset;
};

struct cfi_frame {
    uintptr_t function; /* where the function around the address starts */
    uintptr_t end;      /* and where it ends */
    bool signal;        /* it is a signal frame */
    bool outermost;     /* nothing called it */
    bool signs;         /* it keeps its return address signed (pointer authentication) */
    bool throws;        /* it is one of the unwinder's functions that throw exceptions */
    struct cfi_value cfa;
    struct cfi_value return_address;
    struct cfi_value fp;                     /* the caller's */
    struct cfi_value aux;                    /* the caller's */
    struct cfi_value kept[ARCH_KEPT_OTHERS]; /* the caller's other registers that calls keep */
};

enum cfi_found {
    CFI_NONE, /* the module has no entry for this address */
    CFI_BAD,  /* its entry cannot be read; the function is known */
    CFI_FRAME
};

/* Fills FRAME for PC: for a caller, its return address minus one. */
enum cfi_found cfi_find_async(const struct module_image *module, uintptr_t pc,
                              struct cfi_frame *frame);

#endif
