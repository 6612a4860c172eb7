/*
 * Functions without call-frame information, compiled by the compiler and written by hand.
 */
#include "unwind_bare.h"

#define BARE __attribute__((noipa))

BARE int bare_inner(void (*call)(void), int x)
{
    volatile char room[100];
    room[x] = 1;
    call();
    return room[x] + x;
}

BARE int bare_outer(void (*call)(void), int x)
{
    return bare_inner(call, x + 1) + bare_inner(call, x + 2);
}

/* void assembly_framed(void (*call)(void)), assembly_bare the same without a frame pointer */
__asm__(".text\n"
        ".globl assembly_framed\n"
        ".type assembly_framed, @function\n"
        "assembly_framed:\n\t"
        "push %rbp\n\t"
        "mov %rsp, %rbp\n\t"
        "call *%rdi\n\t"
        "pop %rbp\n\t"
        "ret\n"
        ".size assembly_framed, . - assembly_framed\n"
        ".globl assembly_bare\n"
        ".type assembly_bare, @function\n"
        "assembly_bare:\n\t"
        "push %rbx\n\t"
        "sub $64, %rsp\n\t"
        "xor %ebx, %ebx\n\t"
        "call *%rdi\n\t"
        "add $64, %rsp\n\t"
        "pop %rbx\n\t"
        "ret\n"
        ".size assembly_bare, . - assembly_bare\n");

const unsigned char generated_framed[GENERATED_BYTES] = {
    0x55,             /* push %rbp */
    0x48, 0x89, 0xe5, /* mov %rsp, %rbp */
    0xff, 0xd7,       /* call *%rdi */
    0x5d,             /* pop %rbp */
    0xc3              /* ret */
};

const unsigned char generated_bare[GENERATED_BYTES] = {
    0x48, 0x83, 0xec, 0x28, /* sub $40, %rsp */
    0x31, 0xc0,             /* xor %eax, %eax */
    0xff, 0xd7,             /* call *%rdi */
    0x48, 0x83, 0xc4, 0x28, /* add $40, %rsp */
    0xc3                    /* ret */
};
