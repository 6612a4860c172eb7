/* See alias.h. */
#include "unwind/alias.h"

#include "dwarf/dwarf.h"
#include "unwind/recipe.h"

#include <dlfcn.h>
#include <stddef.h>

/*
 * The recipe epoch in which each target was last judged: in a later one other code may lie
 * there.
 */
static uint64_t alias_epochs[ALIAS_COUNT];

static uint32_t targets_used;

/*
 * With the program's unwinder, a function that runs a cleanup when an exception passes must not
 * be returned to by an alias.
 */
static bool no_cleanups;

/* The program has return addresses on its stack looked up in tables that know no aliases. */
static bool looks_up;

enum { INDEX_SIZE = 4 * ALIAS_COUNT, INDEX_PROBES = 16, REFUSED = 1 << 16 };

/*
 * A hash table by target: its number in the table of jumps plus one, with REFUSED if it must
 * have no alias; 0 if free.
 */
static uint32_t alias_index[INDEX_SIZE];

void alias_start(void)
{
    no_cleanups = dlsym(RTLD_DEFAULT, "__libunwind_Unwind_Resume");
    /* OCaml's collector ends the program when it meets another; its programs export the table.
     */
    looks_up = dlsym(RTLD_DEFAULT, "caml_frametable");
    dlerror();
}

/*
 * Whether unwinders that meet the alias of RETURN_ADDRESS cope with what the function does
 * about exceptions.  GCC's unwinder aborts if the frame after an alias is the one that catches,
 * since it tells frames by their stack pointers.  libunwind continues in a function by
 * overwriting the word that it has read the return address from.
 */
static bool exceptions_pass(uintptr_t return_address)
{
    enum lsda landing = lsda_find(return_address);
    return landing == LSDA_NONE || (landing == LSDA_CLEANUP && !no_cleanups);
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
        return !looks_up && function && arch_call_precedes(return_address, function) &&
               exceptions_pass(return_address);
    default:
        return false;
    }
}

static uintptr_t alias_at(uint32_t entry)
{
    return entry & REFUSED ? 0 : (uintptr_t)alias_code + (uintptr_t)(entry - 1) * ALIAS_BYTES;
}

/* The entry in the hash table for target NUMBER, judged by the code that lies there now. */
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

/*
 * The alias of target NUMBER, whose entry is at PLACE; judged anew if modules were unloaded
 * since.
 */
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
