/*
 * Machine code of A64, as the assembler writes it, is read on any processor: where each
 * instruction leads, and which are calls.
 */
#include "arch/aarch64/call_code.c"
#include "arch/aarch64/instruction.c"
#include "arch/aarch64/model.c"

#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE INSTRUCTION_NOWHERE

/* One piece of code, which branches within itself; each instruction lies 4 bytes after the
 * last. */
static const struct {
    uint32_t word;
    enum way way;
    uint32_t target;
    const char *text;
} lines[] = {
    {0x14000002, WAY_JUMP, 0x8, "b 8"},
    {0x17ffffff, WAY_JUMP, 0x0, "b 0"},
    {0x94000004, WAY_ON, NOWHERE, "bl 18"},
    {0x54000060, WAY_BRANCH, 0x18, "b.eq 18"},
    {0x54ffff81, WAY_BRANCH, 0x0, "b.ne 0"},
    {0x54000070, WAY_BRANCH, 0x20, "bc.eq 20"},
    {0xb4000043, WAY_BRANCH, 0x20, "cbz x3, 20"},
    {0x34000043, WAY_BRANCH, 0x24, "cbz w3, 24"},
    {0xb5ffffde, WAY_BRANCH, 0x18, "cbnz x30, 18"},
    {0x35000100, WAY_BRANCH, 0x44, "cbnz w0, 44"},
    {0xb6f80041, WAY_BRANCH, 0x30, "tbz x1, #63, 30"},
    {0x361fffa1, WAY_BRANCH, 0x20, "tbz w1, #3, 20"},
    {0xb70800a9, WAY_BRANCH, 0x44, "tbnz x9, #33, 44"},
    {0x37000029, WAY_BRANCH, 0x38, "tbnz w9, #0, 38"},
    {0xd61f0220, WAY_ANYWHERE, NOWHERE, "br x17"},
    {0xd71f0822, WAY_ANYWHERE, NOWHERE, "braa x1, x2"},
    {0xd71f0c3f, WAY_ANYWHERE, NOWHERE, "brab x1, sp"},
    {0xd61f08bf, WAY_ANYWHERE, NOWHERE, "braaz x5"},
    {0xd61f0cbf, WAY_ANYWHERE, NOWHERE, "brabz x5"},
    {0xd63f0100, WAY_ON, NOWHERE, "blr x8"},
    {0xd73f0909, WAY_ON, NOWHERE, "blraa x8, x9"},
    {0xd73f0d1f, WAY_ON, NOWHERE, "blrab x8, sp"},
    {0xd63f091f, WAY_ON, NOWHERE, "blraaz x8"},
    {0xd63f0d1f, WAY_ON, NOWHERE, "blrabz x8"},
    {0xd65f03c0, WAY_END, NOWHERE, "ret "},
    {0xd65f0020, WAY_END, NOWHERE, "ret x1"},
    {0xd65f0bff, WAY_END, NOWHERE, "retaa "},
    {0xd65f0fff, WAY_END, NOWHERE, "retab "},
    {0xd69f03e0, WAY_END, NOWHERE, "eret "},
    {0xd4207d00, WAY_END, NOWHERE, "brk #0x3e8"},
    {0xd4400020, WAY_END, NOWHERE, "hlt #0x1"},
    {0x00000000, WAY_END, NOWHERE, "udf #0"},
    {0xd4000001, WAY_ON, NOWHERE, "svc #0x0"},
    {0xd4000002, WAY_ON, NOWHERE, "hvc #0x0"},
    {0xd4000003, WAY_ON, NOWHERE, "smc #0x0"},
    {0xd503201f, WAY_ON, NOWHERE, "nop "},
    {0xd503245f, WAY_ON, NOWHERE, "bti c"},
    {0xd503233f, WAY_ON, NOWHERE, "paciasp "},
    {0xd50323bf, WAY_ON, NOWHERE, "autiasp "},
    {0xd503237f, WAY_ON, NOWHERE, "pacibsp "},
    {0xd50320ff, WAY_ON, NOWHERE, "xpaclri "},
    {0x10000040, WAY_ON, NOWHERE, "adr x0, ac"},
    {0x90000000, WAY_ON, NOWHERE, "adrp x0, 0"},
    {0x58000080, WAY_ON, NOWHERE, "ldr x0, bc"},
    {0x910003fd, WAY_ON, NOWHERE, "mov x29, sp"},
    {0xa9bf7bfd, WAY_ON, NOWHERE, "stp x29, x30, [sp, #-16]!"},
    {0x8b020020, WAY_ON, NOWHERE, "add x0, x1, x2"},
    {0x1f420c20, WAY_ON, NOWHERE, "fmadd d0, d1, d2, d3"},
    {0x3dc00000, WAY_ON, NOWHERE, "ldr q0, [x0]"},
    {0xd51b4400, WAY_ON, NOWHERE, "msr fpcr, x0"},
    {0xd5033f9f, WAY_ON, NOWHERE, "dsb sy"},
    {0xd503207f, WAY_ON, NOWHERE, "wfi "},
    {0xf8200420, WAY_ON, NOWHERE, "ldraa x0, [x1]"},
    {0xc8a07c41, WAY_ON, NOWHERE, "cas x0, x1, [x2]"},
};

enum { LINES = sizeof lines / sizeof *lines, BYTES = 4 * LINES };

/* Aligned, as code is. */
static _Alignas(4) unsigned char code[BYTES];

static void put(unsigned char *at, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(word >> 8 * i);
}

static void test_every_instruction_leads_where_the_assembler_has_it_lead(void)
{
    struct instruction read;
    for (size_t i = 0; i < LINES; i++) {
        const bool valid = instruction_read(code, BYTES, 4 * i, &read);
        OK(valid && read.length == 4 && read.way == lines[i].way &&
               read.target == lines[i].target,
           "%s", lines[i].text);
    }
}

static void test_targets_outside_are_nowhere(void)
{
    struct instruction read;
    instruction_read(code, 8, 0, &read);
    EQ_INT(read.target, NOWHERE, "right behind the code");
    instruction_read(code, 12, 0, &read);
    EQ_INT(read.target, 8, "and not if it goes on");
    instruction_read(code + 4, BYTES - 4, 0, &read);
    EQ_INT(read.target, NOWHERE, "before the code");
}

/* The longest distances, which have all their upper bits set. */
static void test_far_targets(void)
{
    const size_t size = 1u << 28;
    struct instruction read;
    unsigned char *room = malloc(size);
    put(room, 0x15ffffff);
    instruction_read(room, size, 0, &read);
    EQ_INT(read.target, 0x7fffffc, "the farthest that b leads");
    put(room + 0x8000000, 0x16000000);
    instruction_read(room, size, 0x8000000, &read);
    EQ_INT(read.target, 0, "and back");
    put(room, 0x547fffe0);
    instruction_read(room, size, 0, &read);
    EQ_INT(read.target, 0xffffc, "b.eq");
    put(room, 0x3603ffe0);
    instruction_read(room, size, 0, &read);
    EQ_INT(read.target, 0x7ffc, "tbz");
    free(room);
}

static void test_callees(void)
{
    unsigned char call[4];
    struct instruction read;
    instruction_read(code, BYTES, 8, &read);
    EQ_INT(read.callee, 0x18, "bl calls");
    instruction_read(code, BYTES, 0, &read);
    EQ_INT(read.callee, NOWHERE, "b does not");
    put(call, 0x97ffffff);
    instruction_read(call, 4, 0, &read);
    EQ_INT(read.callee, UINT32_MAX - 3, "what is called may lie before the code");
    put(call, 0xd63f0100);
    instruction_read(call, 4, 0, &read);
    EQ_INT(read.callee, NOWHERE, "nobody knows what blr calls");
}

static void test_what_is_no_code_is_refused(void)
{
    unsigned char data[8];
    struct instruction read;
    put(data, 0x01234567);
    OK(!instruction_read(data, sizeof data, 0, &read), "an encoding that is not allocated");
    put(data, 0x74000000);
    OK(!instruction_read(data, sizeof data, 0, &read), "a branch of Armv9.6");
    put(data, 0xd503201f);
    OK(!instruction_read(data, sizeof data, 2, &read), "between instructions");
    OK(!instruction_read(data, 3, 0, &read), "less than an instruction");
    OK(instruction_read(data, 4, 0, &read), "exactly one");
}

static void test_calls(void)
{
    for (size_t i = 0; i < LINES; i++) {
        const uintptr_t at = (uintptr_t)code + 4 * i;
        const bool direct = strncmp(lines[i].text, "bl ", 3) == 0,
                   indirect = strncmp(lines[i].text, "blr", 3) == 0;
        uintptr_t target = 0;
        EQ_INT(arch_is_call_async((const unsigned char *)at, &target), direct,
               "%s: a direct call or not", lines[i].text);
        if (direct)
            EQ_INT(target - (uintptr_t)code, 0x18, "of that address");
        EQ_INT(arch_call_precedes(at + 4, (uintptr_t)code), direct || indirect,
               "%s: a call or not", lines[i].text);
    }
    uintptr_t target;
    OK(!arch_call_precedes((uintptr_t)code + 12, (uintptr_t)code + 12),
       "no call lies before the function");
    OK(!arch_call_precedes((uintptr_t)code + 14, (uintptr_t)code), "nor between instructions");
    OK(!arch_is_call_async(code + 9, &target), "where none begins");
}

static void test_models(void)
{
    static const char grace[] = "processor\t: 0\nBogoMIPS\t: 2000.00\nFeatures\t: fp asimd\n"
                                "CPU implementer\t: 0x41\nCPU architecture: 8\n"
                                "CPU variant\t: 0x0\nCPU part\t: 0xd4f\nCPU revision\t: 0\n";
    char text[64];
    arch_model(grace, text, sizeof text);
    OK(strcmp(text, "Arm Neoverse V2") == 0, "a processor has a name");
    arch_model("CPU implementer\t: 0x61\nCPU part\t: 0x022\n", text, sizeof text);
    OK(strcmp(text, "Arm implementer 0x61 part 0x022") == 0, "or numbers, if it is not known");
    arch_model("", text, sizeof text);
    OK(strcmp(text, "") == 0, "and nothing where nothing is said");
}

int main(void)
{
    for (size_t i = 0; i < LINES; i++)
        put(code + 4 * i, lines[i].word);
    test_every_instruction_leads_where_the_assembler_has_it_lead();
    test_targets_outside_are_nowhere();
    test_far_targets();
    test_what_is_no_code_is_refused();
    test_calls();
    test_models();
    test_callees();
    return tap_done();
}
