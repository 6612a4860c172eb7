/*
 * What instructions of x86-64 change is known for each class of them: registers that they write
 * without naming them, halves of registers, memory of the frame, addresses in it that go
 * elsewhere.  Bytes are as the assembler writes them.
 */
#include "arch/arch.h"

#include "tap.h"

#include <string.h>

#define CODE(bytes) (const unsigned char *)(bytes), sizeof(bytes) - 1
#define SET(number) (1u << (number))

enum { AX, CX, DX, BX, SP, BP, SI, DI, R11 = 11, R12, R13 };

/* What is counted on is that registers which calls keep are written by what writes them alone.
 */
static const struct {
    const unsigned char *code;
    size_t length;
    uint32_t written;
    const char *text;
} writers[] = {
    /* halves */
    {CODE("\xb5\x01"), SET(CX), "mov $1, %ch"},
    {CODE("\x40\xb5\x01"), SET(BP), "mov $1, %bpl"},
    {CODE("\x00\xc6"), SET(DX), "add %al, %dh"},
    {CODE("\x02\xf8"), SET(BX), "add %al, %bh"},
    {CODE("\x88\xc7"), SET(BX), "mov %al, %bh"},
    {CODE("\x8a\x20"), SET(AX), "mov (%rax), %ah"},
    {CODE("\x86\xee"), SET(CX) | SET(DX), "xchg %ch, %dh"},
    {CODE("\xd0\xe7"), SET(BX), "shl %bh"},
    {CODE("\xc0\xe5\x03"), SET(CX), "shl $3, %ch"},
    {CODE("\xd2\xef"), SET(BX), "shr %cl, %bh"},
    {CODE("\x80\xc7\x01"), SET(BX), "add $1, %bh"},
    {CODE("\xf6\xd7"), SET(BX), "not %bh"},
    {CODE("\xf6\xdd"), SET(CX), "neg %ch"},
    {CODE("\xfe\xc7"), SET(BX), "inc %bh"},
    {CODE("\xc6\xc7\x01"), SET(BX), "movb $1, %bh"},
    {CODE("\x0f\x94\xc7"), SET(BX), "sete %bh"},
    {CODE("\x0f\xb0\xdf"), SET(AX) | SET(BX), "cmpxchg %bl, %bh"},
    {CODE("\x0f\xc0\xef"), SET(CX) | SET(BX), "xadd %ch, %bh"},
    {CODE("\x0f\xb6\xdd"), SET(BX), "movzbl %ch, %ebx"},
    {CODE("\x38\xef"), 0, "cmp %ch, %bh"},
    {CODE("\xf6\xc7\x01"), 0, "test $1, %bh"},
    /* what is not named, or only by the other bits */
    {CODE("\xf3\x48\x0f\xae\xc3"), SET(BX), "rdfsbase %rbx"},
    {CODE("\xf3\x49\x0f\xae\xcc"), SET(R12), "rdgsbase %r12"},
    {CODE("\xf3\x48\x0f\xae\xd3"), 0, "wrfsbase %rbx"},
    {CODE("\xf3\x48\x0f\x1e\xcb"), SET(BX), "rdsspq %rbx"},
    {CODE("\xf3\x0f\x1e\xfa"), 0, "endbr64"},
    {CODE("\x0f\xae\xe8"), 0, "lfence"},
    {CODE("\x48\xf7\xe3"), SET(AX) | SET(DX), "mul %rbx"},
    {CODE("\xf7\xf9"), SET(AX) | SET(DX), "idiv %ecx"},
    {CODE("\x4c\x0f\xaf\xe3"), SET(R12), "imul %rbx, %r12"},
    {CODE("\x48\x6b\xeb\x03"), SET(BP), "imul $3, %rbx, %rbp"},
    {CODE("\x99"), SET(DX), "cltd"},
    {CODE("\x48\x98"), SET(AX), "cltq"},
    {CODE("\x41\x0f\xcd"), SET(R13), "bswap %r13d"},
    {CODE("\x49\x0f\xb1\xdc"), SET(AX) | SET(R12), "cmpxchg %rbx, %r12"},
    {CODE("\x48\x0f\xc7\x0f"), SET(AX) | SET(DX), "cmpxchg16b (%rdi)"},
    {CODE("\x48\x0f\xc1\xdd"), SET(BX) | SET(BP), "xadd %rbx, %rbp"},
    {CODE("\x48\x87\xdd"), SET(BX) | SET(BP), "xchg %rbx, %rbp"},
    {CODE("\x48\x93"), SET(AX) | SET(BX), "xchg %rax, %rbx"},
    {CODE("\x90"), 0, "nop"},
    {CODE("\xf3\xa4"), SET(CX) | SET(SI) | SET(DI), "rep movsb"},
    {CODE("\xf3\x48\xab"), SET(CX) | SET(DI), "rep stosq"},
    {CODE("\xac"), SET(AX) | SET(SI), "lodsb"},
    {CODE("\xf2\xae"), SET(CX) | SET(DI), "repne scasb"},
    {CODE("\xf3\xa6"), SET(CX) | SET(SI) | SET(DI), "repe cmpsb"},
    {CODE("\x0f\xa2"), SET(AX) | SET(BX) | SET(CX) | SET(DX), "cpuid"},
    {CODE("\x0f\x31"), SET(AX) | SET(DX), "rdtsc"},
    {CODE("\x0f\x01\xf9"), SET(AX) | SET(CX) | SET(DX), "rdtscp"},
    {CODE("\x0f\x01\xd0"), SET(AX) | SET(DX), "xgetbv"},
    {CODE("\x0f\x05"), SET(AX) | SET(CX) | SET(R11), "syscall"},
    {CODE("\x9f"), SET(AX), "lahf"},
    {CODE("\xe2\x00"), SET(CX), "loop"},
    {CODE("\xdf\xe0"), SET(AX), "fnstsw %ax"},
    {CODE("\x48\x0f\xc7\xf3"), SET(BX), "rdrand %rbx"},
    {CODE("\xf3\x41\x0f\xc7\xfc"), SET(R12), "rdpid %r12"},
    /* bits */
    {CODE("\xf3\x48\x0f\xb8\xd9"), SET(BX), "popcnt %rcx, %rbx"},
    {CODE("\x48\x0f\xbc\xd9"), SET(BX), "bsf %rcx, %rbx"},
    {CODE("\x48\x0f\x44\xd9"), SET(BX), "cmove %rcx, %rbx"},
    {CODE("\x48\x0f\xba\xeb\x03"), SET(BX), "bts $3, %rbx"},
    {CODE("\x48\x0f\xbb\xcb"), SET(BX), "btc %rcx, %rbx"},
    {CODE("\x48\x0f\xa3\xcb"), 0, "bt %rcx, %rbx"},
    {CODE("\x48\x0f\xa4\xcb\x01"), SET(BX), "shld $1, %rcx, %rbx"},
    {CODE("\x48\x0f\xad\xcb"), SET(BX), "shrd %cl, %rcx, %rbx"},
    {CODE("\x48\x0f\xb5\x18"), SET(BX), "lgs (%rax), %rbx"},
    {CODE("\x48\x0f\x38\xf0\x18"), SET(BX), "movbe (%rax), %rbx"},
    {CODE("\xf2\x0f\x38\xf0\xd9"), SET(BX), "crc32 %cl, %ebx"},
    {CODE("\x66\x48\x0f\x38\xf6\xd9"), SET(BX), "adcx %rcx, %rbx"},
    /* from vectors */
    {CODE("\xf2\x48\x0f\x2c\xd8"), SET(BX), "cvttsd2si %xmm0, %rbx"},
    {CODE("\x66\x0f\x50\xd8"), SET(BX), "movmskpd %xmm0, %ebx"},
    {CODE("\x66\x0f\xd7\xd8"), SET(BX), "pmovmskb %xmm0, %ebx"},
    {CODE("\x66\x48\x0f\x7e\xc3"), SET(BX), "movq %xmm0, %rbx"},
    {CODE("\x66\x0f\xc5\xd8\x00"), SET(BX), "pextrw $0, %xmm0, %ebx"},
    {CODE("\x66\x48\x0f\x3a\x16\xc3\x01"), SET(BX), "pextrq $1, %xmm0, %rbx"},
    {CODE("\x66\x0f\x3a\x63\xc1\x00"), SET(CX), "pcmpistri $0, %xmm1, %xmm0"},
    {CODE("\xc4\xe1\xf9\x7e\xc3"), SET(BX), "vmovq %xmm0, %rbx"},
    {CODE("\xc5\xf9\x50\xd8"), SET(BX), "vmovmskpd %xmm0, %ebx"},
    {CODE("\xc4\xe1\xfb\x2c\xd8"), SET(BX), "vcvttsd2si %xmm0, %rbx"},
    {CODE("\xc4\xe3\xf9\x16\xc3\x01"), SET(BX), "vpextrq $1, %xmm0, %rbx"},
    {CODE("\xc4\xe3\x79\x63\xc1\x00"), SET(CX), "vpcmpistri $0, %xmm1, %xmm0"},
    {CODE("\xc5\xfb\x93\xd9"), SET(BX), "kmovd %k1, %ebx"},
    {CODE("\x62\xf1\xff\x08\x78\xd8"), SET(BX), "vcvttsd2usi %xmm0, %rbx"},
    {CODE("\xc5\xf8\x77"), 0, "vzeroupper"},
    {CODE("\xc5\xfc\x58\xd9"), 0, "vaddps %ymm1, %ymm0, %ymm3"},
    /* of general registers, with a VEX prefix */
    {CODE("\xc4\xe2\xe8\xf2\xd9"), SET(BX), "andn %rcx, %rdx, %rbx"},
    {CODE("\xc4\xe2\xe0\xf3\xc9"), SET(BX), "blsr %rcx, %rbx"},
    {CODE("\xc4\x62\xe3\xf6\xe1"), SET(BX) | SET(R12), "mulx %rcx, %rbx, %r12"},
    {CODE("\xc4\xe3\xfb\xf0\xd9\x01"), SET(BX), "rorx $1, %rcx, %rbx"},
};

/* After these nothing is known any more. */
static const struct {
    const unsigned char *code;
    size_t length;
    const char *text;
} anything[] = {
    {CODE("\xc9"), "leave"},
    {CODE("\xc8\x10\x00\x00"), "enter $16, $0"},
    {CODE("\x9c"), "pushf"},
    {CODE("\x9d"), "popf"},
    {CODE("\x66\x50"), "push %ax"},
    {CODE("\x66\x58"), "pop %ax"},
    {CODE("\x5c"), "pop %rsp"},
    {CODE("\x48\x83\xe4\xf0"), "and $-16, %rsp"},
    {CODE("\x48\x29\xc4"), "sub %rax, %rsp"},
    {CODE("\x48\x94"), "xchg %rax, %rsp"},
    {CODE("\x48\x89\xc4"), "mov %rax, %rsp"},
    {CODE("\x48\x8d\x65\xd8"), "lea -40(%rbp), %rsp"},
    {CODE("\xff\x18"), "lcall *(%rax)"},
    {CODE("\xcd\x80"), "int $0x80"},
    {CODE("\xec"), "in (%dx), %al"},
    {CODE("\x8c\xe0"), "mov %fs, %eax"},
    {CODE("\x0f\x20\xc3"), "mov %cr0, %rbx"},
    {CODE("\x48\x0f\xab\x44\x24\x08"), "bts %rax, 8(%rsp)"},
    {CODE("\x62\xf1\x7c\x48\x11\x44\x24\x01"), "vmovups %zmm0, 64(%rsp)"},
};

/* At least so many bytes are written at 8(%rsp), or right below the stack pointer. */
static const struct {
    const unsigned char *code;
    size_t length;
    uint32_t bytes;
    int32_t moved;
    const char *text;
} stores[] = {
    {CODE("\x48\x89\x44\x24\x08"), 8, 0, "mov %rax, 8(%rsp)"},
    {CODE("\x0f\x94\x44\x24\x08"), 1, 0, "sete 8(%rsp)"},
    {CODE("\xff\x44\x24\x08"), 4, 0, "incl 8(%rsp)"},
    {CODE("\x48\x0f\xb1\x44\x24\x08"), 8, 0, "cmpxchg %rax, 8(%rsp)"},
    {CODE("\x48\x0f\xc1\x44\x24\x08"), 8, 0, "xadd %rax, 8(%rsp)"},
    {CODE("\x48\x0f\xc3\x44\x24\x08"), 8, 0, "movnti %rax, 8(%rsp)"},
    {CODE("\x48\x0f\x38\xf1\x44\x24\x08"), 8, 0, "movbe %rax, 8(%rsp)"},
    {CODE("\x48\x0f\xc7\x4c\x24\x08"), 16, 0, "cmpxchg16b 8(%rsp)"},
    {CODE("\x0f\xc7\x64\x24\x08"), 4096, 0, "xsavec 8(%rsp)"},
    {CODE("\x0f\xae\x44\x24\x08"), 512, 0, "fxsave 8(%rsp)"},
    {CODE("\x0f\xae\x5c\x24\x08"), 4, 0, "stmxcsr 8(%rsp)"},
    {CODE("\xc5\xf8\xae\x5c\x24\x08"), 4, 0, "vstmxcsr 8(%rsp)"},
    {CODE("\xdb\x7c\x24\x08"), 10, 0, "fstpt 8(%rsp)"},
    {CODE("\x0f\x11\x44\x24\x08"), 16, 0, "movups %xmm0, 8(%rsp)"},
    {CODE("\xc5\xfc\x11\x44\x24\x08"), 32, 0, "vmovups %ymm0, 8(%rsp)"},
    {CODE("\xc4\xe3\x7d\x19\x44\x24\x08\x01"), 16, 0, "vextractf128 $1, %ymm0, 8(%rsp)"},
    {CODE("\x50"), 8, -8, "push %rax"},
    {CODE("\x6a\x01"), 8, -8, "push $1"},
    {CODE("\xff\x30"), 8, -8, "push (%rax)"},
};

/* Addresses in the frame that others get to know: the lowest of what they may lead to. */
static const struct {
    const unsigned char *code;
    size_t length;
    enum effect_place_kind kind;
    int32_t most;
    const char *text;
} leaks[] = {
    {CODE("\x48\x8d\x7c\x24\x08"), PLACE_BY_SP, 8, "lea 8(%rsp), %rdi"},
    {CODE("\x48\x89\xe7"), PLACE_BY_SP, 0, "mov %rsp, %rdi"},
    {CODE("\x48\x89\x27"), PLACE_BY_SP, 0, "mov %rsp, (%rdi)"},
    {CODE("\x54"), PLACE_BY_SP, 0, "push %rsp"},
    {CODE("\x48\x01\xe0"), PLACE_BY_SP, 0, "add %rsp, %rax"},
    {CODE("\x48\x0f\x44\xc4"), PLACE_BY_SP, 0, "cmove %rsp, %rax"},
    {CODE("\x66\x48\x0f\x6e\xc4"), PLACE_BY_SP, 0, "movq %rsp, %xmm0"},
    {CODE("\xc4\xe1\xf9\x6e\xc4"), PLACE_BY_SP, 0, "vmovq %rsp, %xmm0"},
    {CODE("\x48\x8d\x7c\xc4\x40"), PLACE_BY_SP, 0, "lea 64(%rsp,%rax,8), %rdi"},
    {CODE("\x48\x89\x54\xc4\x40"), PLACE_BY_SP, 0, "mov %rdx, 64(%rsp,%rax,8)"},
    {CODE("\x0f\x11\x44\xc4\x40"), PLACE_BY_SP, 0, "movups %xmm0, 64(%rsp,%rax,8)"},
    {CODE("\x48\x8d\x6c\x24\x40"), PLACE_BY_SP, 64, "lea 64(%rsp), %rbp"},
    {CODE("\x48\x8d\x7d\xf8"), PLACE_BY_FP, -8, "lea -8(%rbp), %rdi"},
    {CODE("\x48\x89\xe8"), PLACE_BY_FP, -(1 << 24), "mov %rbp, %rax"},
    {CODE("\x48\x01\xe8"), PLACE_BY_FP, -(1 << 24), "add %rbp, %rax"},
    {CODE("\x48\x8d\x3c\x28"), PLACE_BY_FP, -(1 << 24), "lea (%rax,%rbp), %rdi"},
    {CODE("\x48\x89\x54\xc5\xc0"), PLACE_BY_FP, -(1 << 24), "mov %rdx, -64(%rbp,%rax,8)"},
    {CODE("\x48\x8b\x54\xc4\x40"), PLACE_ELSEWHERE, 0, "mov 64(%rsp,%rax,8), %rdx"},
    {CODE("\x48\x89\xe5"), PLACE_ELSEWHERE, 0, "mov %rsp, %rbp"},
    {CODE("\x55"), PLACE_ELSEWHERE, 0, "push %rbp"},
    {CODE("\x48\x8d\x64\x24\x08"), PLACE_ELSEWHERE, 0, "lea 8(%rsp), %rsp"},
};

/* No compiler emits these, or what is read of them is not all there is. */
static const struct {
    const unsigned char *code;
    size_t length;
    const char *text;
} refused[] = {
    {CODE("\x48\x48\x89\xc0"), "two prefixes of the same kind"},
    {CODE("\x8f\xe8\x78\xa2\xc1\x00\x00"), "an instruction with an XOP prefix"},
    {CODE("\xc7\xf8\x00\x00\x00\x00"), "xbegin, which is a branch"},
    {CODE("\x48\xc5\xf8\x77"), "two prefixes where there is but one"},
    {CODE("\x0f\x78\xc0\x01\x02"), "extrq, which is longer than others there"},
};

/* The effect of CODE, which is one instruction of LENGTH bytes. */
static struct effect effect_of(const unsigned char *code, size_t length, const char *text)
{
    unsigned char copy[16] = {0};
    struct instruction read;
    struct effect effect;
    memcpy(copy, code, length);
    OK(instruction_read(code, length, 0, &read) && read.length == length, "%s is %zu bytes",
       text, length);
    effect_read(copy, &effect);
    return effect;
}

static void test_registers(void)
{
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        const struct effect effect =
            effect_of(writers[i].code, writers[i].length, writers[i].text);
        OK(effect.kind != EFFECT_ANY && (writers[i].written & ~effect.written) == 0 &&
               ((writers[i].written ^ effect.written) & EFFECT_KEPT) == 0,
           "and what it writes is known");
    }
    for (size_t i = 0; i < sizeof anything / sizeof *anything; i++)
        EQ_INT(effect_of(anything[i].code, anything[i].length, anything[i].text).kind,
               EFFECT_ANY, "after which nothing is known");
}

static void test_callees(void)
{
    struct instruction read;
    instruction_read(CODE("\xe8\x0b\x00\x00\x00"), 0, &read);
    EQ_INT(read.callee, 16, "a call by its distance");
    instruction_read(CODE("\x90\xe8\xf0\xff\xff\xff"), 1, &read);
    EQ_INT(read.callee, UINT32_MAX - 9, "which may be negative");
    instruction_read(CODE("\xff\xd0"), 0, &read);
    EQ_INT(read.callee, INSTRUCTION_NOWHERE, "call *%%rax");
    instruction_read(CODE("\xe9\x0b\x00\x00\x00"), 0, &read);
    EQ_INT(read.callee, INSTRUCTION_NOWHERE, "jmp is no call");
}

static void test_memory(void)
{
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        const struct effect effect =
            effect_of(stores[i].code, stores[i].length, stores[i].text);
        const int32_t at = stores[i].moved ? stores[i].moved : 8;
        OK(effect.stored.kind == PLACE_BY_SP && effect.stored.offset == at &&
               effect.stored_bytes >= stores[i].bytes && effect.moved == stores[i].moved,
           "and writes as much");
    }
    for (size_t i = 0; i < sizeof leaks / sizeof *leaks; i++) {
        const struct effect effect = effect_of(leaks[i].code, leaks[i].length, leaks[i].text);
        OK(effect.taken.kind == leaks[i].kind &&
               (leaks[i].kind == PLACE_ELSEWHERE || effect.taken.offset <= leaks[i].most),
           "and tells others of the frame, or not");
    }
}

int main(void)
{
    struct instruction read;
    test_registers();
    test_memory();
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        OK(!instruction_read(refused[i].code, refused[i].length, 0, &read), "refused: %s",
           refused[i].text);
    test_callees();
    return tap_done();
}
