/*
 * The modules whose code walks have met, each with a number that it keeps for good.
 *
 * In a process that unloads libraries an address is not enough to tell what ran: another
 * library may be loaded at the same place.  So the call tree holds code keys: an address with
 * the number of its module in the upper bits.  A module that is loaded again as it was gets its
 * old number.
 */
#ifndef TSPROF_KNOWN_MODULES_H
#define TSPROF_KNOWN_MODULES_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KNOWN_MODULES_MOST = 1024,
    KNOWN_MODULES_NONE =
        0, /* the number for code in no module, or in one for which there was no room */
    CODE_ADDRESS_BITS = 48
};

struct known_module {
    const char *path; /* absolute if the directory was known; empty for the program itself */
    const char *name; /* as the loader opened it: the end of the path */
    const unsigned char *build_id;
    size_t build_id_length; /* 0: it has none */
    uintptr_t low;          /* mapped from here */
    uintptr_t high;         /* to here */
    uintptr_t base;         /* what the loader added to the file's addresses */
    uintptr_t dynamic;      /* its dynamic section */
    uintptr_t header;       /* its .eh_frame_hdr */
};

/*
 * The number of the module OBJECT, which gets one now if it has none; it must not be unloaded
 * meanwhile.  Any context.
 */
uint32_t known_module_number_async(const struct dl_find_object *object);

/* The number of the module OBJECT; KNOWN_MODULES_NONE if it has none yet.  Any context. */
uint32_t known_module_find_async(const struct dl_find_object *object);

/* One more than the highest number that a module has.  Any context. */
uint32_t known_module_count_async(void);

/* The module with this number, valid for good; NULL if there is none. */
const struct known_module *known_module_get_async(uint32_t number);

/* The code key of ADDRESS in the module with number MODULE; below, the two parts of a key. */
static inline uint64_t code_key(uint32_t module, uintptr_t address)
{
    return (uint64_t)module << CODE_ADDRESS_BITS |
           (address & ((UINT64_C(1) << CODE_ADDRESS_BITS) - 1));
}

static inline uint32_t code_module(uint64_t key)
{
    return (uint32_t)(key >> CODE_ADDRESS_BITS);
}

static inline uintptr_t code_address(uint64_t key)
{
    return key & ((UINT64_C(1) << CODE_ADDRESS_BITS) - 1);
}

/* The key of ADDRESS, which lies in the same module as KEY. */
static inline uint64_t code_beside(uint64_t key, uintptr_t address)
{
    return code_key(code_module(key), address);
}

#endif
