/* Which ranks are where, as a text.  See live_threads.h. */
#include "parts/live_threads.h"
#include "print/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS_MOST = 64, INDENT = 6 };

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

#define COMPARE(field)                                                                         \
    if (a->field != b->field)                                                                  \
    return a->field < b->field ? -1 : 1

/* Compares the places of two threads; 0 if they are the same. */
static int compare_places(const struct live_thread *a, const struct live_thread *b)
{
    COMPARE(thread);
    COMPARE(life);
    COMPARE(place);
    COMPARE(stale);
    COMPARE(node);
    COMPARE(line);
    int calls = compare_texts(a->call, b->call);
    int functions = compare_texts(a->function, b->function);
    return calls ? calls : functions ? functions : compare_texts(a->file, b->file);
}

static int compare_threads(const void *left, const void *right)
{
    const struct live_thread *a = *(const struct live_thread *const *)left;
    const struct live_thread *b = *(const struct live_thread *const *)right;
    int places = compare_places(a, b);
    if (places)
        return places;
    COMPARE(rank);
    return 0;
}

/* Threads at the same place: `count` of a sorted array, from `first` on. */
struct group {
    const struct live_thread **threads;
    size_t count;
};

static int compare_groups(const void *left, const void *right)
{
    const struct live_thread *a = ((const struct group *)left)->threads[0];
    const struct live_thread *b = ((const struct group *)right)->threads[0];
    COMPARE(thread);
    COMPARE(rank);
    return compare_places(a, b);
}

static void add_who(const struct group *group, struct text *text)
{
    struct rank_list ranks = {0};
    for (size_t i = 0; i < group->count; i++)
        rank_list_add(&ranks, group->threads[i]->rank);
    text_addf(text, "rank%s %s", ranks.count > 1 ? "s" : "", rank_list_end(&ranks));
    if (group->threads[0]->thread > 0)
        text_addf(text, ", thread %" PRIu32, group->threads[0]->thread);
    text_free(&ranks.text);
}

static void add_state(const struct live_thread *live, struct text *text)
{
    static const char *const states[] = {[LIFE_UNKNOWN] = "",
                                         [LIFE_RUNNING] = "",
                                         [LIFE_STOPPED] = " (stopped)",
                                         [LIFE_ENDED] = " (ended)"};
    text_add(text, states[live->life]);
    text_add(text, ": ");
}

/* "function at file:line", as far as they are known. */
static void add_function(const char *function, const char *file, uint64_t line,
                         struct text *text)
{
    text_addf(text, " in %s", function);
    if (file && *file && line > 0)
        text_addf(text, " at %s:%" PRIu64, base_name(file), line);
}

/* The function that a call was made from. */
static void add_caller(const struct summary *summary, const struct live_thread *live,
                       struct text *text)
{
    if (live->node == SUMMARY_NONE) {
        if (live->function)
            add_function(live->function, live->file, (uint64_t)live->line, text);
        return;
    }
    const struct call_node *node = &summary->nodes[live->node];
    if (node->parent == SUMMARY_NONE)
        return;
    const struct region_entry *region = &summary->regions[summary->nodes[node->parent].region];
    add_function(region->name, region->file, node->line, text);
}

static void add_place(const struct summary *summary, const struct live_thread *live,
                      struct text *text)
{
    if (live->place == LIVE_IN_MPI) {
        text_add(text, live->call);
        add_caller(summary, live, text);
    } else if (live->node != SUMMARY_NONE) {
        text_addf(text, "in the program, sampled in %s",
                  summary->regions[summary->nodes[live->node].region].name);
    } else {
        text_add(text, "in the program");
    }
}

/* Adds for how long the threads of a group have been there, as a range if they differ. */
static void add_times(const struct group *group, struct text *text)
{
    int64_t least = INT64_MAX, most = -1;
    char low[QUANTITY_SIZE], high[QUANTITY_SIZE];
    for (size_t i = 0; i < group->count; i++) {
        int64_t since = group->threads[i]->since_ns;
        if (since >= 0 && since < least)
            least = since;
        if (since > most)
            most = since;
    }
    if (most < 0)
        return;
    format_quantity(low, (long double)least / 1e9L, "s");
    format_quantity(high, (long double)most / 1e9L, "s");
    bool in_call = group->threads[0]->place == LIVE_IN_MPI;
    text_add(text, in_call ? ", for " : ", ");
    text_add(text, low);
    if (strcmp(low, high) != 0)
        text_addf(text, " to %s", high);
    text_add(text, in_call ? "" : " ago");
}

/* The names from below the root to NODE, which is not the root. */
static void add_path(const struct summary *summary, uint32_t node, struct text *text)
{
    const struct call_node *nodes = summary->nodes;
    size_t depth = 0;
    for (uint32_t at = node; nodes[at].parent != SUMMARY_NONE; at = nodes[at].parent)
        depth++;
    uint32_t *path = allocate(depth, sizeof *path);
    for (size_t i = depth; i-- > 0; node = nodes[node].parent)
        path[i] = node;
    for (size_t i = 0; i < depth; i++)
        text_addf(text, "%s%s", i ? " > " : "", summary->regions[nodes[path[i]].region].name);
    free(path);
}

static void add_group(const struct summary *summary, const struct group *group, size_t columns,
                      struct text *text)
{
    const struct live_thread *live = group->threads[0];
    struct text line = {0};
    add_who(group, &line);
    add_state(live, &line);
    add_place(summary, live, &line);
    add_times(group, &line);
    if (live->stale)
        text_add(&line, ", when something was last saved");
    text_add(text, "  ");
    text_add_wrapped(text, text_string(&line), 2, INDENT, columns);
    text_clear(&line);
    if (live->node != SUMMARY_NONE && live->node > 0) {
        add_path(summary, live->node, &line);
        text_add_repeated(text, " ", INDENT);
        text_add_wrapped(text, text_string(&line), INDENT, INDENT, columns);
    }
    text_free(&line);
}

void live_add_text(const struct live_list *list, const struct summary *summary, size_t columns,
                   struct text *text)
{
    const struct live_thread **threads = allocate(list->count, sizeof *threads);
    struct group *groups = allocate(list->count, sizeof *groups);
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        threads[i] = &list->threads[i];
    qsort(threads, list->count, sizeof *threads, compare_threads);
    for (size_t i = 0; i < list->count; i++) {
        if (i == 0 || compare_places(threads[i - 1], threads[i]) != 0)
            groups[count++] = (struct group){&threads[i], 0};
        groups[count - 1].count++;
    }
    qsort(groups, count, sizeof *groups, compare_groups);
    text_addf(text, "Where every rank %s\n", live_any_runs(list) ? "is now" : "was last");
    for (size_t i = 0; i < count && i < GROUPS_MOST; i++)
        add_group(summary, &groups[i], columns, text);
    if (count > GROUPS_MOST)
        text_addf(text, "  and at %zu more places\n", count - GROUPS_MOST);
    free(groups);
    free(threads);
}
