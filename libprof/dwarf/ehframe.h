/*
 * Finding call-frame information: the entry of a module's .eh_frame that describes the function
 * around an address (Linux Standard Base, "Exception Frames"; DWARF 4, section 6.4).
 *
 * Any context: reads nothing but the module and takes no lock.
 */
#ifndef TSPROF_EHFRAME_H
#define TSPROF_EHFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A loaded module, as _dl_find_object describes it. */
struct module_image {
    uintptr_t low;
    uintptr_t high;
    const unsigned char *header; /* .eh_frame_hdr; NULL if there is none */
};

/*
 * Bytes still to be read.  Once something does not fit, `bad` is set and every later read
 * returns 0.
 */
struct byte_reader {
    const unsigned char *at;
    const unsigned char *end;
    bool bad;
};

/* What read_uleb_async and read_sleb_async call for numbers of several bytes. */
uint64_t read_long_leb_async(struct byte_reader *in, bool is_signed);

/* Reads a little-endian number of SIZE bytes: 1, 2, 4 or 8. */
static inline uint64_t read_fixed_async(struct byte_reader *in, unsigned size)
{
    uint64_t value = 0;
    if (__builtin_expect(in->bad || (size_t)(in->end - in->at) < size, 0)) {
        in->bad = true;
        return 0;
    }
    if (size == 1)
        value = *in->at;
    else if (size == 4)
        memcpy(&value, in->at, 4);
    else
        memcpy(&value, in->at, size == 2 ? 2 : 8);
    in->at += size;
    return value;
}

/* Reads an unsigned LEB128 number. */
static inline uint64_t read_uleb_async(struct byte_reader *in)
{
    if (__builtin_expect(!in->bad && in->at < in->end && *in->at < 0x80, 1))
        return *in->at++;
    return read_long_leb_async(in, false);
}

/* Reads a signed LEB128 number. */
static inline int64_t read_sleb_async(struct byte_reader *in)
{
    return (int64_t)read_long_leb_async(in, true);
}

/*
 * Reads an address.  ENCODING is a DW_EH_PE_ value, BASE what data-relative addresses are
 * relative to.
 */
uintptr_t read_address_async(struct byte_reader *in, uint8_t encoding, uintptr_t base);

/*
 * What an entry (FDE) says of one function, together with the common part (CIE) that it refers
 * to.
 */
struct frame_entry {
    uintptr_t start; /* of the function */
    uintptr_t end;
    struct byte_reader initial; /* instructions for all functions of the common part */
    struct byte_reader program; /* instructions for this function */
    uint64_t code_alignment;
    int64_t data_alignment;
    uint64_t return_register;
    uintptr_t exceptions; /* address of its language-specific data area (see lsda.h); 0 if it
                             has none */
    uint8_t address_encoding;
    uint8_t exceptions_encoding;
    bool sized;  /* the entry has augmentation data, with its length */
    bool signal; /* it describes a signal frame: addresses in it are exact */
};

/*
 * Whether the entry describes a piece of a function that the compiler has put elsewhere because
 * it seldom runs.  In such a piece the frame exists from the start, so the entry sets rules
 * before its first advance to another address.
 */
static inline bool ehframe_is_piece(const struct frame_entry *entry)
{
    enum { NOP, SET_LOC, ADVANCE_1, ADVANCE_2, ADVANCE_4, ADVANCE = 1 /* upper two bits */ };
    const unsigned first = entry->program.at < entry->program.end ? *entry->program.at : NOP;
    return first > ADVANCE_4 && first >> 6 != ADVANCE;
}

/* Finds the entry for PC; false if the module has none that can be read. */
bool ehframe_find_async(const struct module_image *module, uintptr_t pc,
                        struct frame_entry *entry);

#endif
