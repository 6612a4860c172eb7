/*
 * See lsda.h.  The tables are those of the Itanium C++ ABI's exception handling, as GCC and
 * Clang write them.  Their readers, the personality routines, end the program for a call that
 * no row covers.
 */
#include "dwarf/lsda.h"

#include "dwarf/ehframe.h"

#include <dlfcn.h>

/* Other C libraries lack it, and must be able to load the runtime (host/other_libc.h). */
#pragma weak _dl_find_object

enum { ENCODING_OMITTED = 0xff, ACTIONS_MOST = 1000 };

/* Reads a number of the call-site table: an encoded address that is relative to nothing. */
static uint64_t read_number(struct byte_reader *in, uint8_t encoding)
{
    return read_address_async(in, encoding, 0);
}

/*
 * Whether the chain of actions that begins OFFSET bytes into TABLE has anything but cleanups.
 */
static bool has_handler(struct byte_reader table, uint64_t offset)
{
    const unsigned char *start = table.at;
    for (int i = 0; i < ACTIONS_MOST; i++) {
        if (offset >= (uint64_t)(table.end - start))
            return true;
        table.at = start + offset;
        int64_t filter = read_sleb_async(&table);
        uint64_t here = (uint64_t)(table.at - start);
        int64_t next = read_sleb_async(&table);
        if (filter != 0 || table.bad)
            return true;
        if (next == 0)
            return false;
        offset = here + (uint64_t)next;
    }
    return true;
}

/* What the row for the call at OFFSET bytes into its function says. */
static enum lsda find_row(struct byte_reader calls, uint8_t encoding,
                          struct byte_reader actions, uint64_t offset)
{
    while (calls.at < calls.end && !calls.bad) {
        uint64_t start = read_number(&calls, encoding);
        uint64_t length = read_number(&calls, encoding);
        uint64_t pad = read_number(&calls, encoding);
        uint64_t action = read_uleb_async(&calls);
        if (calls.bad || offset - start >= length)
            continue;
        if (action && has_handler(actions, action - 1))
            return LSDA_STOP;
        return pad ? LSDA_CLEANUP : LSDA_NONE;
    }
    return LSDA_STOP;
}

static enum lsda read_lsda(const struct frame_entry *function,
                           const struct module_image *module, uintptr_t call)
{
    struct byte_reader in = {.at = (const unsigned char *)function->exceptions,
                             .end = (const unsigned char *)module->high,
                             .bad = function->exceptions < module->low ||
                                    function->exceptions >= module->high};
    uint8_t encoding = (uint8_t)read_fixed_async(&in, 1);
    if (encoding != ENCODING_OMITTED)
        read_address_async(&in, encoding, 0);
    if (read_fixed_async(&in, 1) != ENCODING_OMITTED)
        read_uleb_async(&in);
    encoding = (uint8_t)read_fixed_async(&in, 1);
    uint64_t bytes = read_uleb_async(&in);
    if (in.bad || bytes > (uint64_t)(in.end - in.at))
        return LSDA_STOP;
    struct byte_reader calls = {.at = in.at, .end = in.at + bytes};
    struct byte_reader actions = {.at = calls.end, .end = in.end};
    return find_row(calls, encoding, actions, call - function->start);
}

enum lsda lsda_find(uintptr_t return_address)
{
    const uintptr_t call = return_address - 1;
    struct dl_find_object object;
    struct frame_entry function;
    if (_dl_find_object((void *)call, &object) != 0 || !object.dlfo_eh_frame)
        return LSDA_STOP;
    const struct module_image module = {.low = (uintptr_t)object.dlfo_map_start,
                                        .high = (uintptr_t)object.dlfo_map_end,
                                        .header = object.dlfo_eh_frame};
    if (!ehframe_find_async(&module, call, &function))
        return LSDA_STOP;
    return function.exceptions ? read_lsda(&function, &module, call) : LSDA_NONE;
}
