/* See loop_code.h. */
#include "mainloop/loop_code.h"

#include "dwarf/dwarf.h"
#include "host/host.h"

#include <dlfcn.h>
#include <errno.h>

enum { TRIES = 8, BYTES_MOST = 4 << 20 /* most code that is ever read */ };

/*
 * Finds the machine code of the function around ADDRESS.  Returns false if it is unknown, too
 * long, or split into several pieces.
 */
static bool find_function(uintptr_t address, struct frame_entry *entry)
{
    struct dl_find_object object;
    if (_dl_find_object((void *)address, &object) != 0)
        return false;
    const struct module_image module = {.low = (uintptr_t)object.dlfo_map_start,
                                        .high = (uintptr_t)object.dlfo_map_end,
                                        .header = object.dlfo_eh_frame};
    return ehframe_find_async(&module, address, entry) && entry->start <= address &&
           entry->end > address && entry->start >= module.low && entry->end <= module.high &&
           entry->end - entry->start <= CODE_BYTES_MOST && !ehframe_is_piece(entry);
}

/* Reads the loops around the call at ADDRESS from the code; returns how many, or -1. */
static int read_loops(struct loop_code *code, uintptr_t address, uint64_t *around)
{
    struct frame_entry entry;
    if (!find_function(address, &entry))
        return -1;
    const size_t bytes = entry.end - entry.start;
    if (code->bytes + bytes > BYTES_MOST)
        return -1;
    code->bytes += bytes;
    size_t entries[LOOPS_AROUND_MOST];
    int count =
        code_loops_around((const unsigned char *)entry.start, bytes, address - entry.start,
                          entries, LOOPS_AROUND_MOST, code->memory);
    for (int i = 0; i < count; i++)
        around[i] = entry.start + entries[i];
    return count;
}

/*
 * The place that remembers the call at ADDRESS, or else the one where it is to be remembered.
 */
static struct loop_code_place *find_place(struct loop_code *code, uintptr_t address)
{
    const uint64_t mixed = address * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    struct loop_code_place *place = &code->places[mixed % LOOP_CODE_PLACES];
    for (uint64_t i = 1; i < TRIES && place->address && place->address != address; i++)
        place = &code->places[(mixed + i) % LOOP_CODE_PLACES];
    return place;
}

int loop_code_around(struct loop_code *code, uintptr_t address, uint64_t *around)
{
    struct loop_code_place *place = find_place(code, address);
    if (place->address != address) {
        const int saved = errno;
        place->address = address;
        place->count = read_loops(code, address, place->around);
        errno = saved;
    }
    for (int i = 0; i < place->count; i++)
        around[i] = place->around[i];
    return place->count;
}
