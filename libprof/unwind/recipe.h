/*
 * How to step out of a frame, learnt once per code address.
 *
 * A recipe says where the caller's frame lies relative to the registers at an address: the rule
 * in the module's call-frame information, reduced to the forms that compilers emit.  Applying a
 * recipe costs two loads.
 */
#ifndef TSPROF_RECIPE_H
#define TSPROF_RECIPE_H

#include "unwind/known_modules.h"

#include <stdbool.h>
#include <stdint.h>

enum recipe_kind {
    RECIPE_UNKNOWN, /* never returned */
    RECIPE_SP,      /* CFA = sp + cfa_offset */
    RECIPE_FP,      /* CFA = fp + cfa_offset */
    RECIPE_MEMORY,  /* CFA = *(fp + cfa_offset): a realigned stack */
    RECIPE_AUX,     /* CFA = auxiliary register + cfa_offset, see arch/ */
    RECIPE_SIGNAL,  /* a signal frame: registers are in the saved context at sp */
    RECIPE_END,     /* the outermost frame */
    RECIPE_FAIL     /* no usable call-frame information */
};

enum recipe_fp {
    FP_UNCHANGED, /* the caller's frame pointer is still in the register */
    FP_AT_CFA,    /* saved at CFA + fp_offset */
    FP_AT_FP,     /* saved at fp + fp_offset */
    FP_BY_RETURN, /* saved at the return address's place + fp_offset */
    FP_LOST       /* saved in a way that recipes do not follow */
};

/* The return_offset of a recipe whose return address is still in the auxiliary register. */
enum { RETURN_IN_AUX = 0 };

/* A recipe. */
struct recipe {
    uintptr_t pc;
    uint64_t function; /* code key of the function that holds pc; address 0 if unknown */
    /* In a union, so that whole rules can be compared as one number. */
    union {
        struct {
            int32_t cfa_offset;
            int16_t fp_offset;
            uint8_t kind; /* enum recipe_kind */
            uint8_t fp;   /* enum recipe_fp */
        };
        uint64_t rule;
    };
    int32_t return_offset; /* of the return address, from the CFA; RETURN_IN_AUX */
    bool signs;            /* the return address there is signed, and must stay as it is */
};

/* Finds what recipes depend on in this process.  Once, in program context. */
void recipe_start(void);

/*
 * The epoch for which recipes and remembered walks hold: the upper bits change after code was
 * unloaded, the lower ones count threads that are about to unload some.
 */
extern uint64_t recipe_epoch __attribute__((visibility("hidden")));

enum { RECIPE_EPOCH = 1 << 16 };

static inline uint64_t recipe_epoch_async(void)
{
    return __atomic_load_n(&recipe_epoch, __ATOMIC_ACQUIRE);
}

/* Whether what is learnt in EPOCH may be kept: nobody is about to unload modules. */
static inline bool recipe_epoch_is_stable(uint64_t epoch)
{
    return epoch % RECIPE_EPOCH == 0;
}

/*
 * To be called around everything that may unload modules.  In between, recipes are learnt anew
 * at every use and no walk is remembered; afterwards the recipes of modules that are gone are
 * forgotten.  Program context; recipes_resume takes the loader's lock.
 */
void recipes_suspend(void);
void recipes_resume(void);

enum recipe_use {
    RECIPE_CALLER,
    RECIPE_LEAF /* for where a sample fell: there are many such places, and few come twice */
};

/*
 * The recipe for PC: for a caller, its return address minus one.  Returns a pointer into the
 * process-wide table or, if the table does not hold it, fills SCRATCH and returns that.  Any
 * thread, any context: never waits for a lock.
 */
const struct recipe *recipe_find_async(uintptr_t pc, enum recipe_use use,
                                       struct recipe *scratch);

/* Where a frame's caller's auxiliary register is. */
enum recipe_aux {
    AUX_UNCHANGED, /* still in the register */
    AUX_AT_CFA,    /* saved at CFA + offset */
    AUX_LOST
};

/*
 * Finds where the auxiliary register of PC's caller is, and *OFFSET if it is AUX_AT_CFA.  It is
 * hardly ever needed, so the answer is not kept.  Any context.
 */
enum recipe_aux recipe_find_aux_async(uintptr_t pc, int64_t *offset);

#endif
