/*
 * What of a processor's state samples must leave as it is: floating-point control, words below
 * the stack pointer, flags and registers.  Each watch_ function keeps something for many
 * rounds.
 */
#ifndef TSPROF_TEST_PROCESSOR_STATE_H
#define TSPROF_TEST_PROCESSOR_STATE_H

#include <stdint.h>

#if defined(__x86_64__)

static uint16_t x87_control(void)
{
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    return control;
}

/* Whether small results are flushed to zero, and small operands taken for it. */
static unsigned flush_control(void)
{
    return __builtin_ia32_stmxcsr() & 0x8040;
}

static void flush_to_zero(void)
{
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
}

/* The number of times that some of 16 words below the stack pointer changed by themselves. */
__attribute__((noinline)) static long watch_red_zone(long rounds)
{
    long changed = 0;
    __asm__ volatile("1: mov $-128, %%rdx\n"
                     "2: mov %%rdx, (%%rsp,%%rdx)\n"
                     "add $8, %%rdx\n"
                     "jnz 2b\n"
                     "mov $500, %%ecx\n"
                     "3: dec %%ecx\n"
                     "jnz 3b\n"
                     "mov $-128, %%rdx\n"
                     "4: cmp %%rdx, (%%rsp,%%rdx)\n"
                     "je 5f\n"
                     "inc %0\n"
                     "5: add $8, %%rdx\n"
                     "jnz 4b\n"
                     "dec %1\n"
                     "jnz 1b\n"
                     : "+r"(changed), "+r"(rounds)
                     :
                     : "rcx", "rdx", "memory", "cc");
    return changed;
}

/* The same for the direction flag, which is set meanwhile. */
__attribute__((noinline)) static long watch_direction(long rounds)
{
    long kept = 0;
    __asm__ volatile("lea -256(%%rsp), %%rsp\n"
                     "1: std\n"
                     "mov $500, %%ecx\n"
                     "2: dec %%ecx\n"
                     "jnz 2b\n"
                     "pushfq\n"
                     "pop %%rdx\n"
                     "shr $10, %%rdx\n"
                     "and $1, %%rdx\n"
                     "add %%rdx, %0\n"
                     "dec %1\n"
                     "jnz 1b\n"
                     "cld\n"
                     "lea 256(%%rsp), %%rsp\n"
                     : "+r"(kept), "+r"(rounds)
                     :
                     : "rcx", "rdx", "memory", "cc");
    return kept;
}

/* And for vector registers: how many rounds found all of them as they were. */
__attribute__((noinline)) static long watch_vectors(long rounds)
{
    long kept = 0;
    int32_t pattern[4] = {0x01234567, 0x09abcdef, 0x13579bdf, 0x02468ace};
    __asm__ volatile("movdqu (%2), %%xmm0\n"
                     "movdqa %%xmm0, %%xmm5\n"
                     "movdqa %%xmm0, %%xmm9\n"
                     "movdqa %%xmm0, %%xmm15\n"
                     "1: mov $500, %%ecx\n"
                     "2: dec %%ecx\n"
                     "jnz 2b\n"
                     "movdqa %%xmm0, %%xmm1\n"
                     "pcmpeqd %%xmm5, %%xmm1\n"
                     "movdqa %%xmm9, %%xmm2\n"
                     "pcmpeqd %%xmm15, %%xmm2\n"
                     "pand %%xmm2, %%xmm1\n"
                     "movdqa %%xmm15, %%xmm2\n"
                     "pcmpeqd %%xmm0, %%xmm2\n"
                     "pand %%xmm2, %%xmm1\n"
                     "pmovmskb %%xmm1, %%ecx\n"
                     "cmp $0xffff, %%ecx\n"
                     "jne 3f\n"
                     "inc %0\n"
                     "3: dec %1\n"
                     "jnz 1b\n"
                     : "+r"(kept), "+r"(rounds)
                     : "r"(pattern)
                     : "rcx", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm5", "xmm9", "xmm15");
    return kept;
}

#elif defined(__aarch64__)

/* Only one processor has such a unit. */
static uint16_t x87_control(void)
{
    return 0;
}

static unsigned flush_control(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return (unsigned)(control & 1 << 24);
}

static void flush_to_zero(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | 1 << 24));
}

/* There is no red zone. */
static long watch_red_zone(long rounds)
{
    (void)rounds;
    return 0;
}

/* Nor a direction. */
static long watch_direction(long rounds)
{
    return rounds;
}

/* How many rounds found vector registers as they were. */
__attribute__((noinline)) static long watch_vectors(long rounds)
{
    long kept = 0;
    int32_t pattern[4] = {0x01234567, 0x09abcdef, 0x13579bdf, 0x02468ace};
    __asm__ volatile("ldr q0, [%2]\n"
                     "mov v5.16b, v0.16b\n"
                     "mov v9.16b, v0.16b\n"
                     "mov v31.16b, v0.16b\n"
                     "1: mov w9, #500\n"
                     "2: subs w9, w9, #1\n"
                     "b.ne 2b\n"
                     "cmeq v1.16b, v0.16b, v5.16b\n"
                     "cmeq v2.16b, v9.16b, v31.16b\n"
                     "and v1.16b, v1.16b, v2.16b\n"
                     "cmeq v2.16b, v0.16b, v31.16b\n"
                     "and v1.16b, v1.16b, v2.16b\n"
                     "uminv b1, v1.16b\n"
                     "umov w9, v1.b[0]\n"
                     "cmp w9, #255\n"
                     "cinc %0, %0, eq\n"
                     "subs %1, %1, #1\n"
                     "b.ne 1b\n"
                     : "+r"(kept), "+r"(rounds)
                     : "r"(pattern)
                     : "x9", "cc", "memory", "v0", "v1", "v2", "v5", "v9", "v31");
    return kept;
}

#endif

#endif
