/*
 * How to step out of a frame, learnt once per code address.
 *
 * A recipe says where the caller's frame lies relative to the registers at an address: the rule
 * that the module's call-frame information gives, boiled down to what compilers make of it.
 * Applying a recipe costs two loads.
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
    FP_LOST       /* saved in a way that recipes do not follow */
};

/* The return address is always where it is usual: at CFA + ARCH_RETURN_OFFSET. */
struct recipe {
    uintptr_t pc;
    uint64_t function; /* code key of the function that holds pc; address 0 if unknown */
    /* In an anonymous union, so that rules can be compared at once. */
    union {
        struct {
            int32_t cfa_offset;
            int16_t fp_offset;
            uint8_t kind; /* enum recipe_kind */
            uint8_t fp;   /* enum recipe_fp */
        };
        uint64_t rule;
    };
};

/* Once per process, not in a handler. */
void recipe_start(void);

/*
 * What recipes and remembered walks are good for: the upper bits change when code was unloaded,
 * the lower count those who are about to unload some.
 */
extern uint64_t recipe_epoch;

enum { RECIPE_EPOCH = 1 << 16 };

static inline uint64_t recipe_epoch_async(void)
{
    return __atomic_load_n(&recipe_epoch, __ATOMIC_ACQUIRE);
}

/* Whether what is known in EPOCH may be kept for later. */
static inline bool recipe_epoch_is_stable(uint64_t epoch)
{
    return epoch % RECIPE_EPOCH == 0;
}

/*
 * Around everything that may unload modules.  In between recipes are learnt anew at every use
 * and no walk is remembered; after it those of modules that are gone are forgotten.  Program
 * context; resume takes the loader's lock.
 */
void recipes_suspend(void);
void recipes_resume(void);

enum recipe_use {
    RECIPE_CALLER,
    RECIPE_LEAF /* for where a sample fell: there are many, and few of them twice */
};

/*
 * The recipe for PC, which for a return address is that address less one.  Returns a pointer
 * into the process-wide table, or SCRATCH filled when the table does not hold it.  Any thread,
 * any context: takes no lock that a handler could find taken.
 */
const struct recipe *recipe_find_async(uintptr_t pc, enum recipe_use use,
                                       struct recipe *scratch);

/* Where a frame's caller's auxiliary register is. */
enum recipe_aux {
    AUX_UNCHANGED, /* still in the register */
    AUX_AT_CFA,    /* saved at CFA + offset */
    AUX_LOST
};

/* The same for the auxiliary register, which is hardly ever needed: not remembered. */
enum recipe_aux recipe_find_aux_async(uintptr_t pc, int64_t *offset);

#endif
