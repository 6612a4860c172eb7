/*
 * The rule for leaving the frame at an address as libunwind sees it: its interpreter is run on
 * an address space whose registers hold marks instead of values.
 */
#ifndef TSPROF_LIBUNWIND_RULES_H
#define TSPROF_LIBUNWIND_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* Marked registers: distinct in their top nibble, which no user-space address has. */
#define MARK_SP    UINT64_C(0x1000000000000000)
#define MARK_FP    UINT64_C(0x2000000000000000)
#define MARK_OTHER UINT64_C(0x3000000000000000)
/* rbx is number 3. */
#define MARK_BX (MARK_OTHER + (UINT64_C(3) << 32))
/* What memory at a marked address holds: the address with this bit flipped. */
#define MARK_LOADED UINT64_C(0x4000000000000000)
#define MARK_ANY    UINT64_C(0x7800000000000000)

struct libunwind_rule {
    uintptr_t function; /* 0: it has no entry for the address */
    int status;         /* of unw_step: negative if it failed, 0 at the end */
    uint64_t cfa;       /* in marks */
    uint64_t fp;
    uint64_t bx;
    uint64_t return_pc;
};

bool libunwind_rules_start(void);
void libunwind_rule(uintptr_t pc, struct libunwind_rule *rule);

#endif
