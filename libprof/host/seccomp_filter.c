/*
 * Follows a filter on all ways that it can take for one system call: where it looks at
 * arguments, or at the address of the call, both outcomes are possible.  See seccomp_filter.h.
 */
#include "host/seccomp_filter.h"

#include "arch/arch.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdint.h>

enum {
    STEPS_MOST = 100000, /* instructions that are followed, on all ways together */
    FORKS_MOST = 64      /* undecided conditions on one way */
};

/* A value, if it is known. */
struct value {
    uint32_t bits;
    bool known;
};

struct course {
    size_t at;
    int forks;
    struct value a, x, memory[BPF_MEMWORDS];
};

struct walk {
    const struct sock_filter *filter;
    size_t count;
    int number;
    int steps;
};

static struct value known(uint32_t bits)
{
    return (struct value){bits, true};
}

static struct value load_data(const struct walk *walk, uint32_t offset)
{
    if (offset == offsetof(struct seccomp_data, nr))
        return known((uint32_t)walk->number);
    if (offset == offsetof(struct seccomp_data, arch))
        return known(ARCH_AUDIT);
    return (struct value){0, false};
}

static struct value calculate(uint16_t code, struct value a, struct value b)
{
    struct value result = {a.bits, a.known && (b.known || BPF_OP(code) == BPF_NEG)};
    switch (BPF_OP(code)) {
    case BPF_ADD:
        result.bits += b.bits;
        break;
    case BPF_SUB:
        result.bits -= b.bits;
        break;
    case BPF_AND:
        result.bits &= b.bits;
        break;
    case BPF_OR:
        result.bits |= b.bits;
        break;
    case BPF_XOR:
        result.bits ^= b.bits;
        break;
    case BPF_NEG:
        result.bits = -a.bits;
        break;
    default: /* the others are not worth the trouble */
        result.known = false;
    }
    return result;
}

static bool holds(uint16_t code, uint32_t a, uint32_t b)
{
    switch (BPF_OP(code)) {
    case BPF_JEQ:
        return a == b;
    case BPF_JGT:
        return a > b;
    case BPF_JGE:
        return a >= b;
    default:
        return a & b;
    }
}

/* Applies an instruction that neither jumps nor returns; false if there is no such one. */
static bool apply(const struct walk *walk, struct course *course, const struct sock_filter *at)
{
    const uint16_t code = at->code;
    const bool in_memory = at->k < BPF_MEMWORDS;
    switch (BPF_CLASS(code)) {
    case BPF_LD:
    case BPF_LDX: {
        struct value *to = BPF_CLASS(code) == BPF_LD ? &course->a : &course->x;
        if (BPF_MODE(code) == BPF_MEM && !in_memory)
            return false;
        *to = BPF_MODE(code) == BPF_ABS   ? load_data(walk, at->k)
              : BPF_MODE(code) == BPF_IMM ? known(at->k)
              : BPF_MODE(code) == BPF_LEN ? known(sizeof(struct seccomp_data))
                                          : course->memory[in_memory ? at->k : 0];
        return true;
    }
    case BPF_ST:
    case BPF_STX:
        if (in_memory)
            course->memory[at->k] = BPF_CLASS(code) == BPF_ST ? course->a : course->x;
        return in_memory;
    case BPF_ALU:
        course->a =
            calculate(code, course->a, BPF_SRC(code) == BPF_X ? course->x : known(at->k));
        return true;
    case BPF_MISC:
        if (BPF_MISCOP(code) == BPF_TAX)
            course->x = course->a;
        else
            course->a = course->x;
        return true;
    default:
        return false;
    }
}

static bool is_allowing(uint32_t outcome)
{
    const uint32_t action = outcome & SECCOMP_RET_ACTION_FULL;
    return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}

static bool follow(struct walk *walk, struct course course);

/*
 * At a jump: moves COURSE on.  Where both outcomes are possible the other one is followed here;
 * false if the call is not allowed there.
 */
static bool jump(struct walk *walk, struct course *course, const struct sock_filter *at)
{
    const struct value b = BPF_SRC(at->code) == BPF_X ? course->x : known(at->k);
    if (BPF_OP(at->code) == BPF_JA) {
        course->at += at->k;
    } else if (course->a.known && b.known) {
        course->at += holds(at->code, course->a.bits, b.bits) ? at->jt : at->jf;
    } else {
        struct course other = *course;
        other.at += at->jt;
        other.forks = ++course->forks;
        course->at += at->jf;
        return course->forks <= FORKS_MOST && follow(walk, other);
    }
    return true;
}

static bool follow(struct walk *walk, struct course course)
{
    while (course.at < walk->count && walk->steps++ < STEPS_MOST) {
        const struct sock_filter *at = &walk->filter[course.at++];
        if (BPF_CLASS(at->code) == BPF_RET) {
            const struct value outcome = BPF_RVAL(at->code) == BPF_A ? course.a : known(at->k);
            return outcome.known && is_allowing(outcome.bits);
        }
        if (BPF_CLASS(at->code) == BPF_JMP ? !jump(walk, &course, at)
                                           : !apply(walk, &course, at))
            return false;
    }
    return false;
}

bool seccomp_filter_allows(const struct sock_filter *filter, size_t count, int number)
{
    struct walk walk = {.filter = filter, .count = count, .number = number};
    return follow(&walk, (struct course){.at = 0});
}
