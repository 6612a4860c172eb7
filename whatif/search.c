/* Predictions of single changes, as quickly as what they can reach allows.  See graph.h. */
#include "whatif/search.h"

#include <stdlib.h>
#include <string.h>

/* The thread that CALL is of may be about to send, or not, when it leaves. */
static void count_busy(struct whatif_search *search, const struct times *times, uint32_t call)
{
    const uint32_t thread = search->graph->calls[call].thread;
    const bool is_busy = times->ports[thread] > times->leaves[call];
    search->busy_count += is_busy;
    search->busy_count -= search->is_busy[thread];
    search->is_busy[thread] = is_busy;
}

static void start_busy(struct whatif_search *search)
{
    search->busy_count = 0;
    memset(search->is_busy, 0, search->graph->world->thread_count * sizeof *search->is_busy);
}

/* Simulates all of it; a place is a cut only where no thread is about to send a message. */
static bool simulate_base(struct whatif_search *search)
{
    const struct whatif *graph = search->graph;
    struct times *times = &search->base_times;
    critical_free(&search->critical);
    search->critical = (struct critical){0};
    if (!graph_find_cuts(graph, search->base, search->order, search->places, search->is_cut))
        return false;
    start_busy(search);
    simulation_begin(graph, search->base, times);
    for (size_t i = 0; i < graph->call_count; i++) {
        const uint32_t call = search->order[i];
        times->leaves[call] = simulation_leave(graph, search->base, times, call);
        count_busy(search, times, call);
        search->is_cut[i] = search->is_cut[i] && search->busy_count == 0;
        simulation_enter_next(graph, search->base, times, call);
    }
    search->steps += graph->call_count;
    search->end_ns = simulation_end(graph, times);
    search->base->first = UINT32_MAX;
    search->base->last = 0;
    whatif_changes_copy(search->trial, search->base);
    return critical_find(graph, search->base, times, &search->critical);
}

/* The first place at which each operation's members end. */
static void find_openings(struct whatif_search *search)
{
    const struct whatif *graph = search->graph;
    memset(search->openings, 0xff, graph->operation_count * sizeof *search->openings);
    for (size_t i = 0; i < graph->member_count; i++) {
        const struct member *member = &graph->members[i];
        if (graph->operations[member->operation].is_followed &&
            search->places[member->end] < search->openings[member->operation])
            search->openings[member->operation] = search->places[member->end];
    }
}

static bool prepare(struct whatif_search *search)
{
    struct whatif *graph = search->graph;
    uint32_t stuck = WHATIF_NONE;
    memcpy(search->order, graph->order, graph->call_count * sizeof *search->order);
    if (search->base->is_reordered &&
        (!graph_order(graph, search->base, false, search->order, &stuck) ||
         stuck != WHATIF_NONE))
        return false;
    for (uint32_t i = 0; i < graph->call_count; i++)
        search->places[search->order[i]] = i;
    search->base->is_reordered = false;
    search->base->places = search->trial->places = search->places;
    find_openings(search);
    return simulate_base(search);
}

struct whatif_search *whatif_search(struct whatif *graph, const struct whatif_changes *changes)
{
    struct whatif_search *search = calloc(1, sizeof *search);
    if (!search)
        return NULL;
    search->graph = graph;
    search->base = whatif_changes(graph);
    search->trial = whatif_changes(graph);
    search->order = calloc(graph->call_count + 1, sizeof *search->order);
    search->places = calloc(graph->call_count + 1, sizeof *search->places);
    search->is_cut = calloc(graph->call_count + 1, sizeof *search->is_cut);
    search->openings = calloc(graph->operation_count + 1, sizeof *search->openings);
    search->is_busy = calloc(graph->world->thread_count + 1, sizeof *search->is_busy);
    search->late = calloc(graph->world->thread_count + 1, sizeof *search->late);
    search->next = calloc(graph->world->thread_count + 1, sizeof *search->next);
    const bool has_times = simulation_times_create(&search->base_times, graph) &&
                           simulation_times_create(&search->trial_times, graph);
    bool good = has_times && search->base && search->trial && search->order && search->places &&
                search->is_cut && search->openings && search->is_busy && search->late &&
                search->next;
    if (good && changes)
        whatif_changes_copy(search->base, changes);
    good = good && prepare(search);
    if (good)
        return search;
    whatif_search_free(search);
    return NULL;
}

void whatif_search_free(struct whatif_search *search)
{
    if (!search)
        return;
    whatif_changes_free(search->base);
    whatif_changes_free(search->trial);
    simulation_times_free(&search->base_times);
    simulation_times_free(&search->trial_times);
    critical_free(&search->critical);
    free(search->order);
    free(search->places);
    free(search->is_cut);
    free(search->openings);
    free(search->is_busy);
    free(search->late);
    free(search->next);
    free(search);
}

uint64_t whatif_search_ns(const struct whatif_search *search)
{
    return search->end_ns - search->graph->facts.begin_ns;
}

uint64_t whatif_search_steps(const struct whatif_search *search)
{
    return search->steps;
}

struct whatif_changes *whatif_search_changes(struct whatif_search *search)
{
    return search->trial;
}

const struct whatif_crossing *whatif_search_crossings(struct whatif_search *search,
                                                      size_t *count)
{
    *count = search->critical.crossings_count;
    return search->critical.crossings;
}

const uint64_t *whatif_search_critical(struct whatif_search *search)
{
    return search->critical.paths;
}

/* The first call of THREAD at PLACE or behind it; the one behind its last if there is none. */
static uint32_t call_from(const struct whatif_search *search, const struct graph_thread *thread,
                          uint32_t place)
{
    uint32_t low = thread->first_call, high = thread->first_call + thread->call_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (search->places[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Begins at PLACE, before which all is as it was. */
static void begin_at(struct whatif_search *search, uint32_t place)
{
    const struct whatif *graph = search->graph;
    start_busy(search);
    for (uint32_t i = 0; i < graph->world->thread_count; i++) {
        const struct graph_thread *thread = &graph->threads[i];
        search->late[i] = 0;
        search->trial_times.ports[i] = 0;
        if (thread->call_count == 0)
            continue;
        const uint32_t call = call_from(search, thread, place);
        search->next[i] = call;
        if (call == thread->first_call + thread->call_count)
            continue;
        const uint64_t from =
            call > thread->first_call ? search->base_times.leaves[call - 1] : thread->begin_ns;
        simulation_enter(graph, search->trial, &search->trial_times, call,
                         from + simulation_work(graph, search->trial, call));
    }
}

static bool has_ended(const struct whatif_search *search, uint32_t thread)
{
    const struct graph_thread *of = &search->graph->threads[thread];
    return search->next[thread] == of->first_call + of->call_count;
}

/* Whether all threads that go on are late by the same time: then so is all that follows. */
static bool is_shifted(const struct whatif_search *search)
{
    int64_t late = INT64_MAX;
    for (uint32_t i = 0; i < search->graph->world->thread_count; i++) {
        if (search->graph->threads[i].call_count == 0 || has_ended(search, i))
            continue;
        if (late != INT64_MAX && search->late[i] != late)
            return false;
        late = search->late[i];
    }
    return true;
}

static void clear_meetings(struct whatif_search *search, uint32_t call)
{
    const struct graph_call *at = &search->graph->calls[call];
    for (uint32_t i = at->first_need; i < at[1].first_need; i++) {
        if (search->graph->needs[i].kind != NEED_MEMBER)
            continue;
        const uint32_t operation =
            search->graph->members[search->graph->needs[i].number].operation;
        if (search->openings[operation] == search->places[call])
            search->trial_times.meetings[operation] = 0;
    }
}

static void step(struct whatif_search *search, uint32_t call)
{
    struct times *times = &search->trial_times;
    const uint32_t thread = search->graph->calls[call].thread;
    clear_meetings(search, call);
    times->leaves[call] = simulation_leave(search->graph, search->trial, times, call);
    count_busy(search, times, call);
    search->late[thread] =
        (int64_t)times->leaves[call] - (int64_t)search->base_times.leaves[call];
    search->next[thread] = call + 1;
    simulation_enter_next(search->graph, search->trial, times, call);
    search->steps++;
}

/* Simulates from PLACE on until all is late by the same time. */
static void run_from(struct whatif_search *search, uint32_t place)
{
    const struct whatif *graph = search->graph;
    size_t alike = 0; /* calls one after the other that are late by the same time */
    int64_t late = INT64_MAX;
    for (; place < graph->call_count; place++) {
        const uint32_t call = search->order[place], thread = graph->calls[call].thread;
        step(search, call);
        alike = search->late[thread] == late ? alike + 1 : 1;
        late = search->late[thread];
        if (search->is_cut[place] && place >= search->trial->last && search->busy_count == 0 &&
            alike >= graph->facts.threads && is_shifted(search))
            return;
    }
}

static uint64_t trial_end(const struct whatif_search *search)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < search->graph->world->thread_count; i++) {
        const struct graph_thread *thread = &search->graph->threads[i];
        if (thread->call_count == 0)
            continue;
        const uint64_t end =
            (uint64_t)((int64_t)search->base_times
                           .leaves[thread->first_call + thread->call_count - 1] +
                       search->late[i]);
        if (end > last)
            last = end;
    }
    return last;
}

/* The changes that were tried are undone. */
static void restore(struct whatif_search *search)
{
    const size_t calls = search->graph->call_count;
    for (size_t i = search->trial->first; i <= search->trial->last && i < calls; i++)
        changes_restore(search->trial, search->base, search->order[i]);
    search->trial->first = UINT32_MAX;
    search->trial->last = 0;
}

uint64_t whatif_search_try(struct whatif_search *search)
{
    const uint32_t first = search->trial->first;
    if (first > search->trial->last)
        return whatif_search_ns(search);
    uint32_t place = first;
    while (place > 0 && !search->is_cut[place - 1])
        place--;
    begin_at(search, place);
    run_from(search, place);
    const uint64_t end = trial_end(search);
    restore(search);
    return end - search->graph->facts.begin_ns;
}

bool whatif_search_keep(struct whatif_search *search)
{
    whatif_changes_copy(search->base, search->trial);
    return simulate_base(search);
}
