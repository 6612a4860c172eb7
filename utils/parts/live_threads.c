/* Collects where threads are.  See live_threads.h. */
#include "parts/live_threads.h"

#include "assemble/resolve.h"
#include "assemble/symbols.h"

#include <stdlib.h>
#include <string.h>

static void find_place(struct live_thread *live, const struct part_reading *part,
                       const struct part_thread *thread)
{
    int64_t now = part_now_ns(part, live->life != LIFE_UNKNOWN);
    if (thread->call != SUMMARY_NONE) {
        live->place = LIVE_IN_MPI;
        live->since_ns = now - thread->since_ns;
        /* A call path that was seen before this call began belongs to another call. */
        if (thread->seen == PART_SEEN_IN_MPI && thread->seen_ns >= thread->since_ns)
            live->node = thread->node;
    } else {
        live->place = LIVE_IN_PROGRAM;
        if (thread->seen == PART_SEEN_IN_PROGRAM) {
            live->node = thread->node;
            live->since_ns = now - thread->seen_ns;
        }
    }
}

struct live_thread *live_add(struct live_list *list, const struct part_reading *part,
                             uint32_t rank, unsigned number, const struct part_thread *thread)
{
    if (!(list->count & (list->count - 1)))
        list->threads =
            reallocate(list->threads, list->count ? 2 * list->count : 1, sizeof *list->threads);
    struct live_thread *live = &list->threads[list->count++];
    *live = (struct live_thread){
        .rank = rank,
        .thread = number,
        .life = process_life(part->host, part->host_identity, part->process, part->started),
        .recent = part->recent && part->ending == PART_LOST,
        .stale = !part->live,
        .since_ns = -1,
        .node = SUMMARY_NONE,
        .caller = {DEFINITION_NONE, 0}};
    find_place(live, part, thread);
    if (live->life == LIFE_ENDED)
        live->since_ns = -1;
    if (live->place == LIVE_IN_MPI)
        live->call = memory_pool_copy(&list->pool, part->calls[thread->call].name,
                                      strlen(part->calls[thread->call].name));
    return live;
}

static bool same_place(struct place a, struct place b)
{
    return a.module == b.module && a.offset == b.offset;
}

static void look_up(struct live_list *list, struct live_thread *live,
                    const struct definitions *definitions)
{
    const struct definition_module *module = &definitions->modules[live->caller.module];
    const struct module_file file = {module->path, module->build_id};
    struct symbol symbol = {0};
    symbols_function(file, live->caller.offset, &symbol);
    if (symbol.name && *symbol.name)
        live->function = memory_pool_copy(&list->pool, symbol.name, strlen(symbol.name));
    if (symbol.file && *symbol.file)
        live->file = memory_pool_copy(&list->pool, symbol.file, strlen(symbol.file));
    live->line = symbols_line(file, live->caller.offset);
    if (!live->function) {
        struct text text = {0};
        text_addf(&text, "%s+%#llx", base_name(module->path),
                  (unsigned long long)live->caller.offset);
        live->function = memory_pool_copy(&list->pool, text_string(&text), text.length);
        text_free(&text);
    }
    symbol_free(&symbol);
}

void live_resolve(struct live_list *list, const struct definitions *definitions,
                  const uint32_t *numbers)
{
    for (size_t i = 0; i < list->count; i++) {
        struct live_thread *live = &list->threads[i], *before = live - 1;
        if (live->node != SUMMARY_NONE)
            live->node = numbers[live->node] & ~RESOLVED_LEFT_OUT;
        if (live->caller.module == DEFINITION_NONE)
            continue;
        /* Most ranks are where their neighbours are. */
        if (i > 0 && same_place(before->caller, live->caller)) {
            live->function = before->function;
            live->file = before->file;
            live->line = before->line;
        } else {
            look_up(list, live, definitions);
        }
    }
    symbols_close();
}

bool live_any_runs(const struct live_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->threads[i].life == LIFE_RUNNING || list->threads[i].life == LIFE_STOPPED)
            return true;
    return false;
}

bool live_any_may_run(const struct live_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->threads[i].life == LIFE_UNKNOWN && list->threads[i].recent)
            return true;
    return false;
}

void live_free(struct live_list *list)
{
    free(list->threads);
    memory_pool_free(&list->pool);
    *list = (struct live_list){0};
}
