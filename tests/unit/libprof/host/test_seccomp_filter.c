/* What a seccomp filter will allow, for every call of some number. */
#include "host/seccomp_filter.h"

#include "arch/arch.h"

#include "tap.h"

#include <linux/seccomp.h>
#include <sys/syscall.h>

#define LOAD(field)            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action)         BPF_STMT(BPF_RET | BPF_K, action)
#define JUMP(what, k, yes, no) BPF_JUMP(BPF_JMP | (what) | BPF_K, k, yes, no)
#define LENGTH(array)          (sizeof(array) / sizeof(array)[0])

static bool allows(const struct sock_filter *filter, size_t count, int number)
{
    return seccomp_filter_allows(filter, count, number);
}

#define ALLOWS(filter, number) allows(filter, LENGTH(filter), number)

static void test_by_number(void)
{
    static const struct sock_filter list[] = {LOAD(arch),
                                              JUMP(BPF_JEQ, ARCH_AUDIT, 1, 0),
                                              RETURN(SECCOMP_RET_KILL_PROCESS),
                                              LOAD(nr),
                                              JUMP(BPF_JEQ, SYS_read, 3, 0),
                                              JUMP(BPF_JEQ, SYS_write, 3, 0),
                                              JUMP(BPF_JGE, SYS_openat, 0, 3),
                                              RETURN(SECCOMP_RET_ERRNO | 1),
                                              RETURN(SECCOMP_RET_ALLOW),
                                              RETURN(SECCOMP_RET_LOG),
                                              RETURN(SECCOMP_RET_TRAP)};
    OK(ALLOWS(list, SYS_read), "what is allowed is");
    OK(ALLOWS(list, SYS_write), "what is logged is allowed");
    OK(!ALLOWS(list, SYS_openat), "what fails is not");
    OK(!ALLOWS(list, SYS_close), "nor what raises a signal");
}

static void test_by_argument(void)
{
    static const struct sock_filter either[] = {LOAD(args[0]), JUMP(BPF_JEQ, 1, 0, 1),
                                                RETURN(SECCOMP_RET_ALLOW),
                                                RETURN(SECCOMP_RET_KILL_PROCESS)};
    static const struct sock_filter both[] = {LOAD(args[0]),
                                              BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 3),
                                              BPF_STMT(BPF_ST, 2),
                                              BPF_STMT(BPF_LD | BPF_IMM, 5),
                                              BPF_STMT(BPF_MISC | BPF_TAX, 0),
                                              BPF_STMT(BPF_LD | BPF_MEM, 2),
                                              BPF_JUMP(BPF_JMP | BPF_JGT | BPF_X, 0, 1, 0),
                                              RETURN(SECCOMP_RET_ALLOW),
                                              RETURN(SECCOMP_RET_LOG)};
    static const struct sock_filter unknown[] = {LOAD(args[1]), BPF_STMT(BPF_RET | BPF_A, 0)};
    OK(!ALLOWS(either, SYS_read), "not if some arguments are denied");
    OK(ALLOWS(both, SYS_read), "where all are allowed it is");
    OK(!ALLOWS(unknown, SYS_read), "an outcome that depends on them is none");
}

static void test_calculation(void)
{
    static const struct sock_filter sums[] = {LOAD(nr),
                                              BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, 7),
                                              BPF_STMT(BPF_ST, 15),
                                              BPF_STMT(BPF_LD | BPF_LEN, 0),
                                              BPF_STMT(BPF_LDX | BPF_MEM, 15),
                                              BPF_STMT(BPF_MISC | BPF_TXA, 0),
                                              BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, 7),
                                              JUMP(BPF_JEQ, SYS_close, 0, 1),
                                              RETURN(SECCOMP_RET_ALLOW),
                                              RETURN(SECCOMP_RET_ERRNO)};
    OK(ALLOWS(sums, SYS_close), "it is calculated as the kernel does");
    OK(!ALLOWS(sums, SYS_read), "with the number that is asked for");
}

static void test_nonsense(void)
{
    static const struct sock_filter no_end[] = {LOAD(nr)};
    static const struct sock_filter far[] = {BPF_STMT(BPF_JMP | BPF_JA, 1u << 31),
                                             RETURN(SECCOMP_RET_ALLOW)};
    static const struct sock_filter outside[] = {BPF_STMT(BPF_ST, 16),
                                                 RETURN(SECCOMP_RET_ALLOW)};
    static struct sock_filter many[4000];
    for (size_t i = 0; i + 1 < LENGTH(many); i++)
        many[i] = i % 2 ? (struct sock_filter)JUMP(BPF_JSET, 1, 0, 0)
                        : (struct sock_filter)LOAD(args[2]);
    many[LENGTH(many) - 1] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    OK(!ALLOWS(no_end, SYS_read), "a filter without an end allows nothing");
    OK(!ALLOWS(far, SYS_read), "nor one that jumps out");
    OK(!ALLOWS(outside, SYS_read), "nor one that stores outside its memory");
    OK(!ALLOWS(many, SYS_read), "nor one with more ways than are followed");
}

int main(void)
{
    test_by_number();
    test_by_argument();
    test_calculation();
    test_nonsense();
    return tap_done();
}
