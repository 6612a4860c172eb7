/* See instruction.h. */
#include "arch/aarch64/instruction.h"

enum { CODE_BYTES = 4 };

/* Instructions that do not just go on, by the bits that tell them from all others. */
struct form {
    uint32_t mask, bits;
    enum way way;
    uint8_t shift, width; /* of the distance, in instructions, if there is one */
};

static const struct form forms[] = {
    {0xfc000000, 0x14000000, WAY_JUMP, 0, 26},    /* b */
    {0xff000000, 0x54000000, WAY_BRANCH, 5, 19},  /* b.cond, bc.cond */
    {0x7e000000, 0x34000000, WAY_BRANCH, 5, 19},  /* cbz, cbnz */
    {0x7e000000, 0x36000000, WAY_BRANCH, 5, 14},  /* tbz, tbnz */
    {0xfffffc1f, 0xd61f0000, WAY_ANYWHERE, 0, 0}, /* br */
    {0xfefff800, 0xd61f0800, WAY_ANYWHERE, 0, 0}, /* braa, brab, braaz, brabz */
    {0xfffffc1f, 0xd65f0000, WAY_END, 0, 0},      /* ret */
    {0xfffffbff, 0xd65f0bff, WAY_END, 0, 0},      /* retaa, retab */
    {0xffc0001f, 0x5500001f, WAY_END, 0, 0},      /* retaasppc, retabsppc */
    {0xffdfffff, 0xd69f03e0, WAY_END, 0, 0},      /* eret, drps */
    {0xffe0001f, 0xd4200000, WAY_END, 0, 0},      /* brk: where a function cannot go on */
    {0xffe0001f, 0xd4400000, WAY_END, 0, 0},      /* hlt */
    {0xffff0000, 0x00000000, WAY_END, 0, 0},      /* udf: likewise */
};

/* The target of the jump WORD, which begins at byte AT of SIZE. */
static uint32_t target_of(const struct form *form, uint32_t word, size_t at, size_t size)
{
    /* A distance with a sign, brought to the upper end of the word and down again. */
    const unsigned unused = 32u - form->width;
    const int32_t distance = (int32_t)(word >> form->shift << unused) >> unused;
    const int64_t target = (int64_t)at + (int64_t)distance * CODE_BYTES;
    return target >= 0 && target < (int64_t)size ? (uint32_t)target
                                                 : (uint32_t)INSTRUCTION_NOWHERE;
}

/*
 * Encodings that no processor has, and those of branches that Armv9.6 brings and that are not
 * read here: a function with one is not understood.
 */
static bool is_unallocated(uint32_t word)
{
    return (word >> 31 == 0 && (word >> 25 & 0xf) == 0 && word >> 16 != 0) ||
           (word & 0x7e000000) == 0x74000000;
}

bool instruction_read(const unsigned char *code, size_t size, size_t at,
                      struct instruction *read)
{
    if (at % CODE_BYTES != 0 || size - at < CODE_BYTES)
        return false;
    const uint32_t word = (uint32_t)code[at] | (uint32_t)code[at + 1] << 8 |
                          (uint32_t)code[at + 2] << 16 | (uint32_t)code[at + 3] << 24;
    *read = (struct instruction){.length = CODE_BYTES,
                                 .target = INSTRUCTION_NOWHERE,
                                 .callee =
                                     (word & 0xfc000000) == 0x94000000 /* bl */
                                         ? (uint32_t)at + (uint32_t)((int32_t)(word << 6) >> 4)
                                         : (uint32_t)INSTRUCTION_NOWHERE,
                                 .way = WAY_ON};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct form *form = &forms[i];
        if ((word & form->mask) != form->bits)
            continue;
        read->way = form->way;
        if (form->width)
            read->target = target_of(form, word, at, size);
        return true;
    }
    return !is_unallocated(word);
}
