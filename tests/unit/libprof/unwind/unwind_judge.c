/* See unwind_judge.h. */
#include "unwind_judge.h"

#include "dwarf/ehframe.h"
#include "host/arena.h"
#include "unwind/alias.h"
#include "unwind/recipe.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { WRONG_SHOWN = 5, STUB_MOST = 64 };

struct cct tree;
struct profile profile;
struct walker *walker;
struct walk_scratch *scratch;
struct stack_bounds bounds;
const struct anchor no_anchor = {.cfa = UINTPTR_MAX, .caller_cfa = UINTPTR_MAX};
unsigned long wrong;

static struct arena arena;

static void find_bounds(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    bounds = (struct stack_bounds){(uintptr_t)low, (uintptr_t)low + size};
}

void start_over(void)
{
    memset(tree.buckets, 0, tree.bucket_count * sizeof *tree.buckets);
    tree.node_count = 2;
    tree.cell_count = tree.nodes[1].cell + layout_table[LAYOUT_EVERYTHING].cells;
    tree.nodes[CCT_ROOT].recent = tree.nodes[1].recent = 0;
    profile_clear_async(&profile);
    walker_reset_async(walker, CCT_ROOT, &no_anchor);
}

bool judge_start(void)
{
    layouts_start();
    find_bounds();
    recipe_start();
    alias_start();
    if (arena_create_async(&arena, (size_t)1 << 30) != 0)
        return false;
    walker = arena_take_async(&arena, sizeof *walker);
    scratch = arena_take_async(&arena, sizeof *scratch);
    if (!cct_create(&tree, &arena, NODES) || !profile_create_async(&profile, &tree, &arena))
        return false;
    start_over();
    return true;
}

static bool is_trampoline(uintptr_t ip)
{
    /* mov $SYS_rt_sigreturn, %rax; syscall */
    return memcmp((const void *)ip, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9) == 0;
}

void add_frame(struct reference *reference, uintptr_t ip, bool exact)
{
    size_t count = reference->count;
    exact = exact || (count && reference->trampoline[count - 1]);
    if (ip == 0 || count == FRAMES_MOST || alias_is_async(ip))
        return;
    reference->pc[count] = exact ? ip : ip - 1;
    reference->trampoline[count] = is_trampoline(ip);
    reference->count++;
}

/*
 * The start of the function around PC, remembered; 0 if nothing describes it.  (Every other way
 * to find it takes the loader's lock, which the code that is stepped through may hold.)
 */
uintptr_t function_of(uintptr_t pc)
{
    static struct {
        uintptr_t pc, function;
    } known[1 << 16];
    size_t at = (pc * UINT64_C(0x9E3779B97F4A7C15)) >> 48;
    struct dl_find_object object;
    struct frame_entry entry = {.start = 0};
    if (known[at].pc == pc)
        return known[at].function;
    if (_dl_find_object((void *)pc, &object) != 0)
        return 0;
    const struct module_image module = {.low = (uintptr_t)object.dlfo_map_start,
                                        .high = (uintptr_t)object.dlfo_map_end,
                                        .header = object.dlfo_eh_frame};
    /* A prepared stack returns to the start of a function, which nothing has called. */
    if (!module.header || (!ehframe_find_async(&module, pc, &entry) &&
                           !ehframe_find_async(&module, pc + 1, &entry)))
        return 0;
    known[at].pc = pc;
    return known[at].function = entry.start;
}

/* Whether NODE is of the function around PC, as far as its start is known. */
static bool is_function(uint32_t node, uintptr_t pc)
{
    uintptr_t key = function_of_node(node), function = function_of(pc);
    if (tree.nodes[node].kind != NODE_FUNCTION)
        return false;
    /* Code that nothing describes may still be known by its bytes. */
    return key == pc || (function ? key == function : key < pc && pc - key < STUB_MOST);
}

bool agrees(const struct reference *reference, uint32_t node, bool partly)
{
    for (size_t i = 0; i < reference->count; i++) {
        const struct node *at = &tree.nodes[node];
        if (reference->trampoline[i])
            continue;
        if (partly && at->kind == NODE_ARTIFICIAL && node != CCT_ROOT)
            return true;
        bool outermost = i + 1 == reference->count ||
                         (partly && tree.nodes[at->parent].kind == NODE_ARTIFICIAL);
        if (!is_function(node, reference->pc[i]) ||
            code_address(at->site) != (outermost ? 0 : reference->pc[i + 1]))
            return false;
        node = at->parent;
    }
    return node == CCT_ROOT;
}

bool begins_like(const struct reference *reference, uint32_t node)
{
    for (size_t i = 0; i < reference->count; i++) {
        if (reference->trampoline[i])
            continue;
        if (!is_function(node, reference->pc[i]))
            return false;
        node = tree.nodes[node].parent;
    }
    return true;
}

void show(const struct reference *reference, uint32_t node)
{
    if (++wrong > WRONG_SHOWN)
        return;
    printf("# wrong path: node (function, site) / libunwind (function, pc)\n");
    /* However wrong the tree is, this ends. */
    for (size_t i = 0; i < reference->count || (node != CCT_ROOT && i < NODES); i++) {
        const struct node *at = &tree.nodes[node];
        printf("# %#lx %#lx / ", (unsigned long)at->key, (unsigned long)at->site);
        if (i < reference->count)
            printf("%#lx %#lx%s", (unsigned long)function_of(reference->pc[i]),
                   (unsigned long)reference->pc[i],
                   reference->trampoline[i] ? " (signal)" : "");
        putchar('\n');
        node = i < reference->count && reference->trampoline[i] ? node : at->parent;
    }
}

struct registers caller_of(const uintptr_t *frame)
{
    return arch_caller(frame, alias_target_async(arch_return_address(frame)));
}

struct registers registers_of(const ucontext_t *context)
{
    return arch_interrupted(context);
}

uintptr_t aux_of(const ucontext_t *context)
{
    return arch_interrupted_aux(context);
}

uintptr_t function_of_node(uint32_t node)
{
    return code_address(tree.nodes[node].key);
}
