/* See view.h. */
#include "mainloop/view.h"

#include "arch/arch.h"
#include "mainloop/named.h"
#include "mainloop/search.h"

static uint32_t parent_of(const void *context, uint32_t node)
{
    const struct thread *thread = context;
    return thread->tree.nodes[node].parent;
}

static int loops_around(const void *context, uint32_t node, uint64_t *around)
{
    const struct thread *thread = context;
    const uintptr_t address = code_address(thread->tree.nodes[node].site);
    return address ? loop_code_around(thread->search->code, address, around) : -1;
}

/* Whether NODE is of a function's part that lies apart: its cold part, or a handler. */
static bool is_piece(const struct thread *thread, uint32_t number)
{
    const struct node *node = &thread->tree.nodes[number];
    return node->kind == NODE_FUNCTION &&
           loop_code_is_piece(thread->search->code, code_address(node->key));
}

static bool is_direct_call(uintptr_t address)
{
    uintptr_t target;
    return arch_is_call_async((const unsigned char *)address + 1 - ARCH_CALL_BYTES, &target);
}

/*
 * Whether TO, called at the same ADDRESS in the code as FROM, is not another call, but what the
 * first one has led to without returning: another piece of the function, or one that it has
 * jumped to in its end.  In a tree what was called comes before that.
 */
static bool is_same_call(const struct thread *thread, uint32_t from, uint32_t to,
                         uintptr_t address)
{
    return is_piece(thread, from) || is_piece(thread, to) ||
           (to > from && is_direct_call(address));
}

static struct code_way way(const void *context, uint32_t from, uint32_t to)
{
    const struct thread *thread = context;
    const uintptr_t before = code_address(thread->tree.nodes[from].site),
                    address = code_address(thread->tree.nodes[to].site);
    if (!before || !address)
        return (struct code_way){.known = false};
    if (before == address && from != to && is_same_call(thread, from, to, address))
        return (struct code_way){.known = true,
                                 .possible = true,
                                 .apart = is_piece(thread, from) || is_piece(thread, to)};
    struct code_way found = loop_code_way(thread->search->code, before, address);
    found.same = found.same && !is_direct_call(address);
    return found;
}

/* The count of the loop at ENTRY, read from the function that calls NODE. */
static struct loops_count count(const void *context, uint32_t node, uint64_t entry)
{
    const struct thread *thread = context;
    const struct search *search = thread->search;
    const uintptr_t address = code_address(thread->tree.nodes[node].site);
    uint32_t value;
    if (!address || !search->walker)
        return (struct loops_count){.known = false};
    const struct code_counter *counter =
        loop_code_counter(search->code, address, (uintptr_t)entry);
    if (!counter)
        return (struct loops_count){.late = true};
    if (counter->place.kind == PLACE_ELSEWHERE)
        return (struct loops_count){.known = false};
    const bool was_read = kept_read(search->walker, thread->tree.nodes[node].parent,
                                    counter->place, &search->code->kept, &value);
    loop_code_note_read(search->code, address, (uintptr_t)entry, was_read);
    if (!was_read)
        return (struct loops_count){.known = false};
    return (struct loops_count){.known = true,
                                .starts = counter->starts,
                                .is = value - counter->ahead,
                                .step = counter->step,
                                .first = counter->first};
}

/*
 * Has the function that call path FUNCTION ends in, where loop NUMBER is, return by an alias,
 * if it can.  Returns where its return address is; NULL if that tells nothing.  Where all
 * functions return by aliases anyway, walks tell which have been called again.
 */
static const uintptr_t *watch(const void *context, unsigned number, uint32_t function)
{
    struct search *search = ((const struct thread *)context)->search;
    uintptr_t word = 0;
    if (!search->walker)
        return NULL;
    if (search->walker->single)
        return &search->entries;
    const uintptr_t *slot = unwind_put_alias_at(search->walker, function, &word);
    search->aliases[number] = word;
    return slot && alias_is_async(word) ? slot : NULL;
}

/* Whether that function has been called again since. */
static bool is_called_again(const void *context, unsigned number, uint32_t function)
{
    const struct thread *thread = context;
    const struct search *search = thread->search;
    if (!search->walker)
        return false;
    if (search->walker->single)
        return search->visited && visits_has_entered(&thread->scratch->visits, function);
    const uintptr_t *slot = unwind_return_slot(search->walker, function);
    return slot && *slot != search->aliases[number];
}

/*
 * What loop NUMBER is worth to the recogniser: the time in its passes that were cut; most, if
 * it is named.
 */
static uint64_t worth_of(const void *context, unsigned number)
{
    struct search *search = ((const struct thread *)context)->search;
    const struct candidate *candidate = &search->candidates[number];
    const struct loop *loop = loops_get(&search->loops, number);
    if (named_is_set_async() && !loop->ignored)
        return UINT64_MAX;
    return candidate->serial == loop->serial ? (uint64_t)candidate->time_ns : 0;
}

static bool is_wanted(const void *context, const struct loop *loop)
{
    return named_is(&((const struct thread *)context)->tree, loop);
}

struct loops_config view_of(struct thread *thread)
{
    return (struct loops_config){.nodes = thread->tree.node_capacity,
                                 .parent = parent_of,
                                 .loops_around = loops_around,
                                 .way = way,
                                 .count = count,
                                 .watch = watch,
                                 .is_called_again = is_called_again,
                                 .worth = worth_of,
                                 .is_wanted = is_wanted,
                                 .context = thread};
}
