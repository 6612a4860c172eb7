/* See alias.h. */
#include "unwind/alias.h"

#include "dwarf/landing.h"
#include "unwind/recipe.h"

#include <dlfcn.h>
#include <stddef.h>

/*
 * The call-frame information holds for all jumps: the stack pointer is that of the caller, and
 * the return address is what the jump at the program counter reads.  An expression computes it
 * from the instruction's own displacement, so that it needs no relocation:
 *
 *     *(pc + 7 + *(uint32_t *)(pc + 3))
 *
 * Unwinders look up return addresses less one, hence the bytes before the first.
 */
__asm__(".pushsection .text\n"
        ".balign 64\n"
        ".type tsprof_return_alias, @function\n"
        "tsprof_return_alias:\n"
        ".cfi_startproc\n"
        ".cfi_def_cfa_offset 0\n"
        /* DW_CFA_val_expression of column 16: breg16 3, deref_size 4, breg16 7, plus, deref */
        ".cfi_escape 0x16, 0x10, 8, 0x80, 3, 0x94, 4, 0x80, 7, 0x22, 0x06\n"
        ".fill 16, 1, 0xcc\n"
        ".globl alias_code\n"
        ".hidden alias_code\n"
        "alias_code:\n"
        ".set alias_offset, 0\n"
        ".rept 4096\n"
        "notrack jmp *alias_targets + alias_offset(%rip)\n"
        ".balign 16, 0xcc\n"
        ".set alias_offset, alias_offset + 8\n"
        ".endr\n"
        ".cfi_endproc\n"
        ".size tsprof_return_alias, . - tsprof_return_alias\n"
        ".popsection\n");

_Static_assert(ALIAS_COUNT == 4096 && ALIAS_BYTES == 16, "as the table is written");

uintptr_t alias_targets[ALIAS_COUNT];

/* The recipes' epoch in which a target was last looked at: other code may lie there since. */
static uint64_t alias_epochs[ALIAS_COUNT];

static uint32_t targets_used;

/* Functions that run anything when an exception passes must not be returned to by an alias. */
static bool no_landings;

enum { INDEX_SIZE = 4 * ALIAS_COUNT, INDEX_PROBES = 16, REFUSED = 1 << 16 };

/* By hash of the target: its number in the table plus one, and perhaps REFUSED. */
static uint32_t alias_index[INDEX_SIZE];

void alias_start(void)
{
    no_landings = dlsym(RTLD_DEFAULT, "__libunwind_Unwind_Resume");
    dlerror();
}

/*
 * Whether unwinders that meet the alias of RETURN_ADDRESS cope with what the function does
 * about exceptions.  GCC's aborts if the frame of an alias is followed by the one that catches,
 * since it tells frames by their stack pointers.  libunwind continues in a function by writing
 * where it has read the return address.
 */
static bool exceptions_pass(uintptr_t return_address)
{
    enum landing landing = landing_find(return_address);
    return landing == LANDING_NONE || (landing == LANDING_CLEANUP && !no_landings);
}

/* Whether a call ends just before ADDRESS, in any of its encodings. */
static bool follows_call(uintptr_t address, uintptr_t function)
{
    const unsigned char *end = (const unsigned char *)address;
    enum { CALL_RELATIVE = 0xe8, CALL_INDIRECT = 0xff };
    if (address - function >= 5 && end[-5] == CALL_RELATIVE)
        return true;
    for (int length = 2; length <= 7 && address - function >= (uintptr_t)length; length++) {
        const unsigned char *code = end - length;
        if (code[0] != CALL_INDIRECT || (code[1] >> 3 & 7) != 2)
            continue;
        static const int displacement_bytes[] = {0, 1, 4, 0};
        int mode = code[1] >> 6, base = code[1] & 7;
        bool has_sib = mode != 3 && base == 4;
        int displacement = displacement_bytes[mode];
        if (mode == 0 && (base == 5 || (has_sib && length > 2 && (code[2] & 7) == 5)))
            displacement = 4;
        if (length == 2 + has_sib + displacement)
            return true;
    }
    return false;
}

static bool may_be_replaced(uintptr_t return_address)
{
    struct recipe unlisted;
    const struct recipe *recipe =
        recipe_find_async(return_address - 1, RECIPE_CALLER, &unlisted);
    const uintptr_t function = code_address(recipe->function);
    switch (recipe->kind) {
    case RECIPE_SP:
    case RECIPE_FP:
    case RECIPE_MEMORY:
    case RECIPE_END:
        return function && follows_call(return_address, function) &&
               exceptions_pass(return_address);
    default:
        return false;
    }
}

static uintptr_t alias_at(uint32_t entry)
{
    return entry & REFUSED ? 0 : (uintptr_t)alias_code + (uintptr_t)(entry - 1) * ALIAS_BYTES;
}

/* The entry for the target NUMBER as the code there is now. */
static uint32_t look_at(uint32_t number)
{
    return (number + 1) | (may_be_replaced(alias_targets[number]) ? 0 : REFUSED);
}

/* Gives RETURN_ADDRESS a place in the table; 0 when it is full. */
static uint32_t create(uintptr_t return_address)
{
    uint32_t number = __atomic_load_n(&targets_used, __ATOMIC_RELAXED);
    if (number < ALIAS_COUNT)
        number = __atomic_fetch_add(&targets_used, 1, __ATOMIC_RELAXED);
    if (number >= ALIAS_COUNT)
        return 0;
    alias_targets[number] = return_address;
    alias_epochs[number] = recipe_epoch_async();
    return look_at(number);
}

/* The alias of target NUMBER, whose entry is at PLACE; looked at again after an unloading. */
static uintptr_t alias_now(uint32_t *place, uint32_t number)
{
    const uint64_t epoch = recipe_epoch_async();
    if (__atomic_load_n(&alias_epochs[number], __ATOMIC_ACQUIRE) != epoch) {
        __atomic_store_n(place, look_at(number), __ATOMIC_RELAXED);
        __atomic_store_n(&alias_epochs[number], epoch, __ATOMIC_RELEASE);
    }
    return alias_at(__atomic_load_n(place, __ATOMIC_RELAXED));
}

uintptr_t alias_find(uintptr_t return_address)
{
    size_t first = (return_address * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
    uint32_t mine = 0;
    for (size_t i = 0; i < INDEX_PROBES; i++) {
        uint32_t *place = &alias_index[(first + i) % INDEX_SIZE];
        uint32_t entry = __atomic_load_n(place, __ATOMIC_ACQUIRE);
        if (entry == 0) {
            mine = mine ? mine : create(return_address);
            if (!mine)
                return 0;
            /* Another thread may have been faster, perhaps with the same address. */
            if (__atomic_compare_exchange_n(place, &entry, mine, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE))
                return alias_at(mine);
        }
        uint32_t number = (entry & ~(uint32_t)REFUSED) - 1;
        if (alias_targets[number] == return_address)
            return alias_now(place, number);
    }
    return 0;
}
