/*
 * Finding the entry for an address in modules made up here: every way in which linkers write
 * the table, none at all, and bytes that make no sense.
 */
#include "dwarf/ehframe.h"

#include "arch/arch.h"
#include "dwarf/cfi.h"
#include "tap.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum {
    IMAGE_BYTES = 4096,
    HEADER_AT = 0,
    FRAMES_AT = 1024,
    CODE_AT = 2048,
    FUNCTIONS = 5,
    FUNCTION_BYTES = 64,
    DAMAGES = 20000
};

/* DW_EH_PE_ values. */
enum { PE_UDATA4 = 0x03, PE_SDATA4 = 0x0b, PE_SDATA8 = 0x0c, PE_UDATA8 = 0x04, PE_ABSPTR = 0 };
enum { PE_PCREL = 0x10, PE_DATAREL = 0x30, PE_OMIT = 0xff };

struct image {
    unsigned char *bytes;
    size_t at;
};

static struct module_image described(const struct image *image)
{
    return (struct module_image){.low = (uintptr_t)image->bytes,
                                 .high = (uintptr_t)image->bytes + IMAGE_BYTES,
                                 .header = image->bytes + HEADER_AT};
}

static void put(struct image *image, uint64_t value, size_t size)
{
    memcpy(image->bytes + image->at, &value, size);
    image->at += size;
}

static size_t size_of(uint8_t encoding)
{
    return (encoding & 0x0f) == PE_UDATA4 || (encoding & 0x0f) == PE_SDATA4 ? 4 : 8;
}

static void put_address(struct image *image, uint8_t encoding, size_t target)
{
    uintptr_t address = (uintptr_t)image->bytes + target;
    uintptr_t relation = 0;
    if ((encoding & 0x70) == PE_PCREL)
        relation = (uintptr_t)image->bytes + image->at;
    else if ((encoding & 0x70) == PE_DATAREL)
        relation = (uintptr_t)image->bytes + HEADER_AT;
    put(image, address - relation, size_of(encoding));
}

static size_t function_at(size_t number)
{
    return CODE_AT + number * FUNCTION_BYTES;
}

/* Where these functions have their return addresses: any register that no rule is wanted of. */
enum { RETURN_REGISTER = 20 };

/* DW_CFA_def_cfa sp 8, the return address at CFA - 8. */
static const unsigned char usual[] = {0x0c, ARCH_DWARF_SP, 8, 0x80 | RETURN_REGISTER, 1};

static void put_length(struct image *image, size_t length, bool wide)
{
    if (wide)
        put(image, 0xffffffff, 4);
    put(image, length, wide ? 8 : 4);
}

static void put_common(struct image *image, uint8_t encoding, bool wide)
{
    const unsigned char content[] = {0, 0,       0, 0, 1, 'z', 'R', 0, 1, 0x78, RETURN_REGISTER,
                                     1, encoding};
    put_length(image, sizeof content + sizeof usual, wide);
    memcpy(image->bytes + image->at, content, sizeof content);
    image->at += sizeof content;
    memcpy(image->bytes + image->at, usual, sizeof usual);
    image->at += sizeof usual;
}

/* One of the functions has its return address signed from then on. */
enum { SIGNS = 1, NEGATE_RA_STATE = 0x2d };

/* A function that pushes a number of words equal to its own number plus one right away. */
static void put_function(struct image *image, size_t common, size_t number, uint8_t encoding,
                         bool wide)
{
    const unsigned char program[] = {0x41, 0x0e, (unsigned char)(16 + 8 * number),
                                     number == SIGNS ? NEGATE_RA_STATE : 0};
    put_length(image, 4 + 2 * size_of(encoding) + 1 + sizeof program, wide);
    put(image, image->at - common, 4);
    put_address(image, encoding, function_at(number));
    put(image, FUNCTION_BYTES - 8, size_of(encoding));
    put(image, 0, 1);
    memcpy(image->bytes + image->at, program, sizeof program);
    image->at += sizeof program;
}

/* A module whose functions have entries ENCODED and WIDE, and whose table has encoding TABLE.
 */
static void make(struct image *image, uint8_t encoding, bool wide, uint8_t table)
{
    size_t entries[FUNCTIONS];
    memset(image->bytes, 0, IMAGE_BYTES);
    image->at = FRAMES_AT;
    put_common(image, encoding, wide);
    for (size_t i = 0; i < FUNCTIONS; i++) {
        entries[i] = image->at;
        put_function(image, FRAMES_AT, i, encoding, wide);
    }
    put(image, 0, 4);
    image->at = HEADER_AT;
    put(image, 1, 1);
    put(image, PE_PCREL | PE_SDATA4, 1);
    put(image, table == PE_OMIT ? PE_OMIT : PE_UDATA4, 1);
    put(image, table, 1);
    put_address(image, PE_PCREL | PE_SDATA4, FRAMES_AT);
    if (table == PE_OMIT)
        return;
    put(image, FUNCTIONS, 4);
    for (size_t i = 0; i < FUNCTIONS; i++) {
        put_address(image, table, function_at(i));
        put_address(image, table, entries[i]);
    }
}

/* How many of the functions are found with their rules, and nothing between them. */
static size_t found(const struct image *image)
{
    struct module_image module = described(image);
    size_t right = 0;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        uintptr_t start = (uintptr_t)image->bytes + function_at(i);
        struct cfi_frame entry, body, gap;
        right += cfi_find_async(&module, start, &entry) == CFI_FRAME &&
                 cfi_find_async(&module, start + 1, &body) == CFI_FRAME &&
                 cfi_find_async(&module, start + FUNCTION_BYTES - 8, &gap) == CFI_NONE &&
                 entry.function == start && body.function == start && entry.cfa.offset == 8 &&
                 body.cfa.offset == 16 + 8 * (int64_t)i && body.cfa.base == CFI_SP &&
                 body.return_address.loaded && body.return_address.offset == -8 &&
                 !entry.signs && body.signs == (i == SIGNS);
    }
    return right;
}

static void test_all_encodings(struct image *image)
{
    static const struct {
        const char *name;
        uint8_t encoding;
    } tables[] = {{"4 bytes from the header", PE_DATAREL | PE_SDATA4},
                  {"8 bytes from the header", PE_DATAREL | PE_SDATA8},
                  {"4 bytes from themselves", PE_PCREL | PE_SDATA4},
                  {"absolute", PE_UDATA8},
                  {"absolute, as pointers", PE_ABSPTR},
                  {"missing", PE_OMIT}};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (int wide = 0; wide <= 1; wide++) {
            make(image, PE_PCREL | PE_SDATA4, wide, tables[i].encoding);
            EQ_INT(found(image), FUNCTIONS, "table %s, %s lengths", tables[i].name,
                   wide ? "long" : "short");
        }
    make(image, PE_UDATA8, false, PE_DATAREL | PE_SDATA4);
    EQ_INT(found(image), FUNCTIONS, "entries with absolute addresses");
    make(image, PE_PCREL | PE_SDATA8, false, PE_OMIT);
    EQ_INT(found(image), FUNCTIONS, "and with long ones");
}

static void test_what_cannot_be_read_is_not_found(struct image *image)
{
    make(image, PE_PCREL | PE_SDATA4, false, PE_DATAREL | PE_SDATA4);
    image->bytes[HEADER_AT] = 2;
    EQ_INT(found(image), 0, "a header of another version");
    make(image, PE_PCREL | PE_SDATA4, false, PE_DATAREL | PE_SDATA4);
    memset(image->bytes + HEADER_AT + 8, 0x7f, 4);
    EQ_INT(found(image), 0, "more entries than there is room for");
    make(image, 0x80 | PE_PCREL | PE_SDATA4, false, PE_DATAREL | PE_SDATA4);
    EQ_INT(found(image), 0, "indirect addresses");
    struct module_image module = described(image);
    struct cfi_frame frame;
    module.header = NULL;
    EQ_INT(cfi_find_async(&module, module.low + CODE_AT, &frame), CFI_NONE, "no header");
}

/* Nothing outside the module may be read, whatever its bytes say: for the sanitizers. */
static void test_damaged_bytes_do_no_harm(struct image *image)
{
    uint64_t state = 88172645463325252;
    unsigned long frames = 0;
    struct module_image module = described(image);
    for (unsigned i = 0; i < DAMAGES; i++) {
        make(image, PE_PCREL | PE_SDATA4, i & 1, i & 2 ? PE_OMIT : PE_DATAREL | PE_SDATA4);
        for (unsigned j = 0; j <= i % 7; j++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            size_t at =
                (state >> 20) % 3 ? FRAMES_AT + (state >> 30) % 200 : (state >> 30) % 64;
            image->bytes[at] = (unsigned char)(state >> 50);
        }
        for (size_t number = 0; number < FUNCTIONS; number++) {
            struct cfi_frame frame;
            uintptr_t pc = (uintptr_t)image->bytes + function_at(number) + 3;
            frames += cfi_find_async(&module, pc, &frame) == CFI_FRAME;
        }
    }
    OK(frames > 0 && frames < (unsigned long)DAMAGES * FUNCTIONS,
       "%d damaged modules, %lu frames still found", DAMAGES, frames);
}

/* The same with the call-frame information of the C library, which uses all of it. */
static void test_damaged_library_does_no_harm(void)
{
    struct dl_find_object object;
    if (!OK(_dl_find_object(dlsym(RTLD_DEFAULT, "qsort"), &object) == 0, "the C library"))
        return;
    uintptr_t header = (uintptr_t)object.dlfo_eh_frame;
    size_t size = 0x10000;
    if (size > (uintptr_t)object.dlfo_map_end - header)
        size = (uintptr_t)object.dlfo_map_end - header;
    unsigned char *copy = malloc(size);
    uint64_t state = 1;
    unsigned long frames = 0;
    for (unsigned round = 0; copy && round < 20; round++) {
        memcpy(copy, (const void *)header, size);
        for (unsigned i = 0; i < 2000; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            copy[12 + (state >> 33) % (size - 12)] ^= (unsigned char)(1 << (state >> 61));
        }
        struct module_image module = {(uintptr_t)copy, (uintptr_t)copy + size, copy};
        for (unsigned i = 0; i < 2000; i++) {
            struct cfi_frame frame;
            int32_t start;
            memcpy(&start, copy + 12 + 8 * (size_t)i, sizeof start);
            frames += cfi_find_async(&module, (uintptr_t)copy + (uintptr_t)(intptr_t)start + 9,
                                     &frame) == CFI_FRAME;
        }
    }
    OK(copy != NULL, "%lu frames found in it when it is damaged", frames);
    free(copy);
}

/* What GCC writes of a function, of one that needs no frame, and of what it has moved away. */
static void test_pieces_of_functions(void)
{
    static const struct {
        unsigned char program[4];
        bool is_piece;
        const char *what;
    } cases[] = {{{0x41, 0x0e, 0x10, 0x86}, false, "a function that pushes a register"},
                 {{0x02, 0x44, 0x0e, 0x10}, false, "one that does so later"},
                 {{0, 0, 0, 0}, false, "one without a frame"},
                 {{0x0e, 0x30, 0x83, 0x04}, true, "what has a frame where it begins"},
                 {{0x86, 0x02, 0x0e, 0x30}, true, "and has saved a register"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct frame_entry entry = {
            .program = {.at = cases[i].program, .end = cases[i].program + 4}};
        EQ_INT(ehframe_is_piece(&entry), cases[i].is_piece, "%s", cases[i].what);
    }
}

int main(void)
{
    struct image image = {.bytes = malloc(IMAGE_BYTES)};
    if (!OK(image.bytes != NULL, "memory"))
        return tap_done();
    test_all_encodings(&image);
    test_what_cannot_be_read_is_not_found(&image);
    test_damaged_bytes_do_no_harm(&image);
    test_damaged_library_does_no_harm();
    test_pieces_of_functions();
    free(image.bytes);
    return tap_done();
}
