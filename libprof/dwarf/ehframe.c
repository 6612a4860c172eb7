/* See ehframe.h. */
#include "dwarf/ehframe.h"

enum {
    HEADER_VERSION = 1,
    LONG_LENGTH = 0xffffffff,
    /* DW_EH_PE_ values: how an address is stored */
    PE_ADDRESS = 0x00,
    PE_ULEB = 0x01,
    PE_UNSIGNED2 = 0x02,
    PE_UNSIGNED4 = 0x03,
    PE_UNSIGNED8 = 0x04,
    PE_SLEB = 0x09,
    PE_SIGNED2 = 0x0a,
    PE_SIGNED4 = 0x0b,
    PE_SIGNED8 = 0x0c,
    PE_FORMAT = 0x0f,
    /* and what it is relative to */
    PE_ABSOLUTE = 0x00,
    PE_TO_ITSELF = 0x10,
    PE_TO_DATA = 0x30,
    PE_RELATION = 0x70,
    PE_INDIRECT = 0x80,
    PE_OMITTED = 0xff
};

uint64_t read_long_leb_async(struct byte_reader *in, bool is_signed)
{
    uint64_t value = 0;
    unsigned bits = 0;
    uint8_t byte;
    do {
        byte = (uint8_t)read_fixed_async(in, 1);
        if (bits < 64)
            value |= (uint64_t)(byte & 0x7f) << bits;
        bits += 7;
    } while (byte & 0x80);
    if (is_signed && bits < 64 && (byte & 0x40))
        value |= UINT64_MAX << bits;
    return value;
}

static int64_t signed_of(uint64_t value, unsigned bytes)
{
    unsigned unused = 64 - 8 * bytes;
    return (int64_t)(value << unused) >> unused;
}

/* Bytes that an address in this format takes; 0 if that depends on its value. */
static unsigned size_of_format(uint8_t encoding)
{
    switch (encoding & PE_FORMAT) {
    case PE_UNSIGNED2:
    case PE_SIGNED2:
        return 2;
    case PE_UNSIGNED4:
    case PE_SIGNED4:
        return 4;
    case PE_ADDRESS:
    case PE_UNSIGNED8:
    case PE_SIGNED8:
        return 8;
    default:
        return 0;
    }
}

static uint64_t read_stored(struct byte_reader *in, uint8_t format)
{
    unsigned size = size_of_format(format);
    if (format == PE_ULEB)
        return read_uleb_async(in);
    if (format == PE_SLEB)
        return (uint64_t)read_sleb_async(in);
    if (size == 0) {
        in->bad = true;
        return 0;
    }
    uint64_t value = read_fixed_async(in, size);
    return format > PE_SLEB ? (uint64_t)signed_of(value, size) : value;
}

uintptr_t read_address_async(struct byte_reader *in, uint8_t encoding, uintptr_t base)
{
    uintptr_t itself = (uintptr_t)in->at;
    uint64_t stored = read_stored(in, encoding & PE_FORMAT);
    switch (encoding & (PE_RELATION | PE_INDIRECT)) {
    case PE_ABSOLUTE:
        return stored;
    case PE_TO_ITSELF:
        return itself + stored;
    case PE_TO_DATA:
        return base + stored;
    default:
        in->bad = true;
        return 0;
    }
}

static struct byte_reader read_from(const struct module_image *module, uintptr_t address)
{
    bool inside = address >= module->low && address < module->high;
    return (struct byte_reader){.at = (const unsigned char *)address,
                                .end = (const unsigned char *)module->high,
                                .bad = !inside};
}

/*
 * The bytes of one entry, after its length; *AFTER becomes the address of the next, 0 at the
 * end.
 */
static struct byte_reader open_entry(const struct module_image *module, uintptr_t address,
                                     uintptr_t *after)
{
    struct byte_reader in = read_from(module, address);
    uint64_t length = read_fixed_async(&in, 4);
    if (length == LONG_LENGTH)
        length = read_fixed_async(&in, 8);
    if (in.bad || length == 0 || length > (uint64_t)(in.end - in.at)) {
        *after = 0;
        in.bad = true;
        return in;
    }
    in.end = in.at + length;
    *after = (uintptr_t)in.end;
    return in;
}

/* Reads the common part's augmentation data, as its letters after the z describe them. */
static void read_augmentation(struct byte_reader *in, const char *letters,
                              struct frame_entry *entry)
{
    uint64_t length = read_uleb_async(in);
    if (in->bad || length > (uint64_t)(in->end - in->at)) {
        in->bad = true;
        return;
    }
    struct byte_reader data = {.at = in->at, .end = in->at + length};
    in->at += length;
    for (; *letters; letters++) {
        switch (*letters) {
        case 'R':
            entry->address_encoding = (uint8_t)read_fixed_async(&data, 1);
            break;
        case 'P': {
            uint8_t encoding = (uint8_t)read_fixed_async(&data, 1);
            read_stored(&data, encoding & PE_FORMAT);
            break;
        }
        case 'L':
            entry->exceptions_encoding = (uint8_t)read_fixed_async(&data, 1);
            break;
        case 'S':
            entry->signal = true;
            break;
        case 'B':
            break;
        default:
            in->bad = true;
        }
    }
    in->bad = in->bad || data.bad;
}

/* Reads the common part (CIE) at ADDRESS. */
static bool read_common(const struct module_image *module, uintptr_t address,
                        struct frame_entry *entry)
{
    uintptr_t after;
    struct byte_reader in = open_entry(module, address, &after);
    uint64_t id = read_fixed_async(&in, 4);
    uint64_t version = read_fixed_async(&in, 1);
    const char *letters = (const char *)in.at;
    while (read_fixed_async(&in, 1) != 0)
        ;
    if (in.bad || id != 0 || (version != 1 && version != 3))
        return false;
    entry->code_alignment = read_uleb_async(&in);
    entry->data_alignment = read_sleb_async(&in);
    entry->return_register = version == 1 ? read_fixed_async(&in, 1) : read_uleb_async(&in);
    entry->address_encoding = PE_ADDRESS;
    entry->exceptions_encoding = PE_OMITTED;
    entry->sized = letters[0] == 'z';
    if (entry->sized)
        read_augmentation(&in, letters + 1, entry);
    else if (letters[0])
        return false;
    entry->initial = in;
    return !in.bad;
}

/* Reads the augmentation data of a function's part: the address of its exception tables. */
static void read_own_augmentation(struct byte_reader *in, struct frame_entry *entry)
{
    uint64_t length = read_uleb_async(in);
    if (in->bad || length > (uint64_t)(in->end - in->at)) {
        in->bad = true;
        return;
    }
    struct byte_reader data = {.at = in->at, .end = in->at + length};
    in->at += length;
    if (entry->exceptions_encoding == PE_OMITTED)
        return;
    const uintptr_t itself = (uintptr_t)data.at;
    uintptr_t address = read_address_async(&data, entry->exceptions_encoding, 0);
    /* A null pointer is stored as such, whatever it is relative to. */
    entry->exceptions = data.bad || address == itself ? 0 : address;
    in->bad = in->bad || data.bad;
}

/*
 * Reads the function's part (FDE) at ADDRESS and its common part; false also if there is a
 * common part at ADDRESS itself.
 */
static bool read_entry(const struct module_image *module, uintptr_t address,
                       struct frame_entry *entry, uintptr_t *after)
{
    *entry = (struct frame_entry){0};
    struct byte_reader in = open_entry(module, address, after);
    uintptr_t field = (uintptr_t)in.at;
    uint64_t back = read_fixed_async(&in, 4);
    if (in.bad || back == 0 || !read_common(module, field - back, entry))
        return false;
    entry->start = read_address_async(&in, entry->address_encoding, 0);
    entry->end = entry->start + read_stored(&in, entry->address_encoding & PE_FORMAT);
    if (entry->sized)
        read_own_augmentation(&in, entry);
    entry->program = in;
    return !in.bad;
}

/*
 * The sorted table behind the header: pairs of a function's start and the address of its entry.
 */
struct search_table {
    const unsigned char *pairs;
    uint64_t count;
    unsigned size; /* of each of the two, in bytes */
    uint8_t encoding;
    uintptr_t base;
};

static uintptr_t table_at(const struct search_table *table, uint64_t pair, unsigned which)
{
    const unsigned char *at = table->pairs + (2 * pair + which) * table->size;
    struct byte_reader in = {.at = at, .end = at + table->size};
    return read_address_async(&in, table->encoding, table->base);
}

/* The address of the last entry whose function starts at or before PC; 0 if all start later. */
static uintptr_t search(const struct search_table *table, uintptr_t pc)
{
    uint64_t low = 0, high = table->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (table_at(table, middle, 0) <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? table_at(table, low - 1, 1) : 0;
}

/* Searches entry after entry, for where the linker has made no table (linkers warn of that). */
static bool search_entries(const struct module_image *module, uintptr_t address, uintptr_t pc,
                           struct frame_entry *entry)
{
    while (address) {
        uintptr_t after;
        if (read_entry(module, address, entry, &after) && pc >= entry->start && pc < entry->end)
            return true;
        address = after;
    }
    return false;
}

bool ehframe_find_async(const struct module_image *module, uintptr_t pc,
                        struct frame_entry *entry)
{
    uintptr_t base = (uintptr_t)module->header, after;
    struct byte_reader in = read_from(module, base);
    uint64_t version = read_fixed_async(&in, 1);
    uint8_t frames_encoding = (uint8_t)read_fixed_async(&in, 1);
    uint8_t count_encoding = (uint8_t)read_fixed_async(&in, 1);
    uint8_t table_encoding = (uint8_t)read_fixed_async(&in, 1);
    uintptr_t frames = read_address_async(&in, frames_encoding, base);
    if (in.bad || version != HEADER_VERSION)
        return false;
    if (count_encoding == PE_OMITTED || table_encoding == PE_OMITTED)
        return search_entries(module, frames, pc, entry);
    struct search_table table = {.count = read_address_async(&in, count_encoding, base),
                                 .pairs = in.at,
                                 .size = size_of_format(table_encoding),
                                 .encoding = table_encoding,
                                 .base = base};
    table.pairs = in.at;
    if (in.bad || !table.size ||
        table.count > (uint64_t)(in.end - in.at) / (2 * (uint64_t)table.size))
        return false;
    uintptr_t found = search(&table, pc);
    return found && read_entry(module, found, entry, &after) && pc >= entry->start &&
           pc < entry->end;
}
