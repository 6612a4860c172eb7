/*
 * What a function has in the registers that calls keep is found from further in, whatever the
 * functions in between have saved; and what it has in its frame.
 */
#include "host/arena.h"
#include "tap.h"
#include "tree/cct.h"
#include "unwind/alias.h"
#include "unwind/kept.h"
#include "unwind/recipe.h"
#include "unwind/walker.h"

#include <pthread.h>

#define FUNCTION __attribute__((noipa))

enum { NODES = 1 << 10, REGISTERS = 6 };

/* As instructions number them. */
static const uint8_t numbers[REGISTERS] = {3, 5, 12, 13, 14, 15};

static struct arena arena;
static struct cct tree;
static struct walker *walker;
static struct walk_scratch *scratch;
static struct stack_bounds bounds;
static struct kept_rules rules;

static unsigned wrong, reads;
static bool aliases;

/* Holds 101 to 106 in its registers, 107 and 108 in its frame, and calls its argument. */
void holder(void (*function)(void));
__asm__(".pushsection .text\n"
        ".type holder, @function\n"
        "holder:\n"
        ".cfi_startproc\n"
        "pushq %rbx\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbx, -16\n"
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 24\n"
        ".cfi_offset %rbp, -24\n"
        "pushq %r12\n"
        ".cfi_def_cfa_offset 32\n"
        ".cfi_offset %r12, -32\n"
        "pushq %r13\n"
        ".cfi_def_cfa_offset 40\n"
        ".cfi_offset %r13, -40\n"
        "pushq %r14\n"
        ".cfi_def_cfa_offset 48\n"
        ".cfi_offset %r14, -48\n"
        "pushq %r15\n"
        ".cfi_def_cfa_offset 56\n"
        ".cfi_offset %r15, -56\n"
        "subq $24, %rsp\n"
        ".cfi_def_cfa_offset 80\n"
        "movl $101, %ebx\n"
        "movl $102, %ebp\n"
        "movl $103, %r12d\n"
        "movl $104, %r13d\n"
        "movl $105, %r14d\n"
        "movl $106, %r15d\n"
        "movl $107, (%rsp)\n"
        "movl $108, 12(%rsp)\n"
        "call *%rdi\n"
        "addq $24, %rsp\n"
        ".cfi_def_cfa_offset 56\n"
        "popq %r15\n"
        "popq %r14\n"
        "popq %r13\n"
        "popq %r12\n"
        "popq %rbp\n"
        "popq %rbx\n"
        ".cfi_def_cfa_offset 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size holder, . - holder\n"
        ".popsection\n");

static bool start(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    layouts_start();
    recipe_start();
    if (arena_create_async(&arena, (size_t)1 << 24) != 0)
        return false;
    walker = arena_take_async(&arena, sizeof *walker);
    scratch = arena_take_async(&arena, sizeof *scratch);
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    bounds = (struct stack_bounds){(uintptr_t)low, (uintptr_t)low + size};
    walker_reset_async(walker, CCT_ROOT,
                       &(struct anchor){.cfa = UINTPTR_MAX, .caller_cfa = UINTPTR_MAX});
    return cct_create(&tree, &arena, NODES);
}

/* The innermost node of holder on the last walk, which ended in NODE. */
static uint32_t find_holder(uint32_t node)
{
    while (node != CCT_ROOT && code_address(tree.nodes[node].key) != (uintptr_t)holder)
        node = tree.nodes[node].parent;
    return node;
}

static void expect(uint32_t node, struct effect_place place, uint32_t wanted)
{
    uint32_t value = 0;
    reads++;
    wrong += !kept_read(walker, node, place, &rules, &value) || value != wanted;
}

static void look_at(uint32_t node)
{
    for (unsigned i = 0; i < REGISTERS; i++)
        expect(node, (struct effect_place){.kind = PLACE_REGISTER, .number = numbers[i]},
               101 + i);
    expect(node, (struct effect_place){.kind = PLACE_BY_SP, .offset = 0}, 107);
    expect(node, (struct effect_place){.kind = PLACE_BY_SP, .offset = 12}, 108);
}

FUNCTION __attribute__((optimize("no-omit-frame-pointer"))) static void look(void)
{
    const uintptr_t *frame = __builtin_frame_address(0);
    const struct registers caller = {
        .pc = alias_target_async(frame[1]) - 1, .sp = (uintptr_t)(frame + 2), .fp = frame[0]};
    const struct walk_result walk = unwind_async(walker, scratch, &bounds, &caller, &tree);
    if (walk.remembered && aliases)
        unwind_put_aliases(walker);
    look_at(find_holder(walk.node));
}

/* Changes all of the registers, and saves them before. */
FUNCTION static void change_all(void)
{
    __asm__ volatile("xorl %%ebx, %%ebx\n\txorl %%r12d, %%r12d\n\txorl %%r13d, %%r13d\n\t"
                     "xorl %%r14d, %%r14d\n\txorl %%r15d, %%r15d" ::
                         : "rbx", "r12", "r13", "r14", "r15");
    look();
    __asm__ volatile("");
}

FUNCTION static void change_one(void)
{
    __asm__ volatile("xorl %%r13d, %%r13d" ::: "r13");
    change_all();
    __asm__ volatile("");
}

FUNCTION __attribute__((optimize("no-omit-frame-pointer"))) static void change_frame(void)
{
    change_one();
    __asm__ volatile("");
}

static void test_kept(void)
{
    static void (*const ways[])(void) = {look, change_all, change_one, change_frame};
    for (int round = 0; round < 3; round++) {
        aliases = round == 2;
        for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            wrong = reads = 0;
            holder(ways[i]);
            EQ_INT(reads, REGISTERS + 2, "function %u, round %d: asked", i, round);
            EQ_INT(wrong, 0, "and what is held is found");
        }
    }
}

static void look_for_nothing(void)
{
    uint32_t value;
    OK(!kept_read(walker, tree.node_count + 1,
                  (struct effect_place){.kind = PLACE_REGISTER, .number = 3}, &rules, &value),
       "of a function that is not on the stack nothing is found");
    OK(!kept_read(walker, find_holder(1),
                  (struct effect_place){.kind = PLACE_BY_SP, .offset = 1 << 20}, &rules,
                  &value),
       "nor outside of a frame");
    OK(!kept_read(walker, find_holder(1),
                  (struct effect_place){.kind = PLACE_BY_FP, .offset = -8}, &rules, &value),
       "nor by a frame pointer where there is none");
}

int main(void)
{
    if (!OK(start(), "there is memory"))
        return tap_done();
    test_kept();
    look_for_nothing();
    return tap_done();
}
