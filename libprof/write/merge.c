/* See merge.h. */
#include "write/merge.h"

#include "arch/arch.h"
#include "assemble/resolve.h"
#include "assemble/united.h"
#include "counters/counters.h"
#include "encode/encode.h"
#include "host/host.h"
#include "iterations/iterations.h"
#include "library/library.h"
#include "mainloop/mainloop.h"
#include "trace/trace.h"
#include "write/describe.h"
#include "write/place_threads.h"
#include "write/publish.h"
#include "write/shown_loops.h"
#include "write/used_paths.h"
#include "write/write_trace.h"
#include "write/zstd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A thread of this process with, for every node of its call tree: */
struct described {
    const struct thread *thread;
    bool *used;      /* whether it is in the summary, see used_paths.h */
    uint32_t *nodes; /* its definition node, if it is used */
};

/* This process's side of the merge. */
struct merger {
    struct rank_tree ranks;
    int64_t end_ns;
    struct united united;
    struct united_maps children[RANK_TREE_ROUNDS_MOST]; /* by round of the tree */
    struct described *threads;                          /* newest first */
    size_t thread_count;
    uint32_t phase_map[PHASES_MOST];
    uint32_t phases[PHASES_MOST]; /* their numbers in the summary */
    uint32_t counter_map[COUNTERS_MOST];
    uint32_t host;
    struct numbering numbering;
    struct description description;
    struct program_sections program; /* a copy of parts of it, for the trace */
    struct contribution contribution;
};

static int own_rank = -1;

void merge_set_rank(int rank)
{
    own_rank = rank;
}

/* Lists the threads whose data are consistent. */
static void list_threads(struct merger *merger)
{
    size_t count = 0;
    for (const struct thread *each = thread_newest; each; each = each->next)
        count++;
    merger->threads = calloc(count + 1, sizeof *merger->threads);
    if (!merger->threads) {
        merger->united.definitions.failed = true;
        return;
    }
    for (const struct thread *each = thread_newest; each; each = each->next)
        if (!each->stuck)
            merger->threads[merger->thread_count++].thread = each;
}

/*
 * Finds which call paths of a thread are used.  Where some of them belong under call paths of
 * OPENER, those are marked as used too; so OPENER itself has to come last.
 */
static bool find_used(struct described *described, struct described *opener)
{
    const struct cct *tree = &described->thread->tree;
    described->nodes = calloc(tree->node_count, sizeof *described->nodes);
    struct described *const both[] = {described, opener};
    for (int i = 0; i < 2; i++)
        if (!both[i]->used)
            both[i]->used = calloc(both[i]->thread->tree.node_count, sizeof *both[i]->used);
    if (!described->nodes || !described->used || !opener->used)
        return false;
    used_paths_find(described->thread, described->used);
    place_thread(described->thread, opener->thread, described->nodes);
    used_paths_spread(tree, described->nodes, described->used);
    for (uint32_t i = 0; i < tree->node_count; i++)
        if (described->used[i] && described->nodes[i] != PLACEMENT_NONE)
            opener->used[described->nodes[i]] = true;
    return true;
}

/*
 * Describes a thread, with its OpenMP regions under those of OPENER, which has been described
 * before.
 */
static void describe_thread(struct merger *merger, const struct modmap *modules,
                            struct described *described, const struct described *opener)
{
    _Static_assert((uint32_t)PLACEMENT_NONE == (uint32_t)DEFINITION_NONE,
                   "a node without a place has no number yet");
    for (uint32_t i = 0; i < described->thread->tree.node_count; i++)
        if (described->nodes[i] != PLACEMENT_NONE)
            described->nodes[i] = opener->nodes[described->nodes[i]];
    describe_tree(&merger->united.definitions, modules, &described->thread->tree,
                  described->used, described->nodes);
}

static void describe_threads(struct merger *merger)
{
    bool *failed = &merger->united.definitions.failed;
    struct modmap modules;
    modmap_load(&modules);
    list_threads(merger);
    /* The opener is the oldest thread, which is the last in the list. */
    struct described *threads = merger->threads,
                     *opener = merger->thread_count ? &threads[merger->thread_count - 1] : NULL;
    for (size_t i = 0; i < merger->thread_count && !*failed; i++)
        *failed = !find_used(&threads[i], opener);
    for (size_t i = merger->thread_count; i-- > 0 && !*failed;)
        describe_thread(merger, &modules, &threads[i], opener);
    modmap_free(&modules);
}

static void describe_host(struct merger *merger)
{
    struct encoder host = {0};
    facts_encode_host(&host);
    merger->host = hosts_add(&merger->united.hosts, host.bytes, host.size);
    if (host.failed || merger->host == HOSTS_NONE)
        merger->united.definitions.failed = true;
    encoder_free(&host);
}

static void describe_topologies(struct merger *merger)
{
    struct encoder topologies = {0};
    topology_encode(&topologies);
    struct decoder in = {topologies.bytes, topologies.size, 0, false};
    topologies_add(&merger->united.topologies, &in);
    encoder_free(&topologies);
}

static void describe_own(struct merger *merger)
{
    describe_threads(merger);
    describe_phases(&merger->united.definitions, merger->phase_map);
    describe_counters(&merger->united.definitions, merger->counter_map);
    describe_host(merger);
    describe_topologies(merger);
}

/* Merges the descriptions of this process's subtree, then passes the union on to its parent. */
static void unite_upwards(struct merger *merger)
{
    struct rank_tree *ranks = &merger->ranks;
    const int rounds = rank_tree_rounds(ranks);
    ranks->doing = "call paths";
    for (int round = 0; round < rounds; round++) {
        struct decoder in = {0};
        if (rank_tree_child(ranks, round) < 0)
            continue;
        void *bytes = rank_tree_receive(ranks, rank_tree_child(ranks, round), &in.size);
        in.bytes = bytes;
        /* A process without memory sends nothing, and gets no numbers either. */
        if (in.size > 0)
            united_merge(&merger->united, &in, &merger->children[round]);
        free(bytes);
    }
    if (rank_tree_parent(ranks) >= 0) {
        struct encoder out = {0};
        united_encode(&merger->united, &out);
        bool failed = out.failed || merger->united.definitions.failed;
        rank_tree_send(ranks, rank_tree_parent(ranks), out.bytes, failed ? 0 : out.size);
        encoder_free(&out);
    }
}

static void resolve_all(void *context)
{
    struct merger *merger = context;
    if (!resolve(&merger->united.definitions, &merger->description, merger->numbering.nodes))
        merger->united.definitions.failed = true;
}

static void number_as_root(struct merger *merger)
{
    bool *failed = &merger->united.definitions.failed;
    if (*failed || !numbering_begin(&merger->numbering, &merger->united)) {
        *failed = true;
        return;
    }
    own_stack_call(resolve_all, merger);
    found_announce();
    source_place_close();
    source_place_complain();
}

static void receive_numbers(struct merger *merger)
{
    size_t size;
    uint32_t *numbers =
        rank_tree_receive(&merger->ranks, rank_tree_parent(&merger->ranks), &size);
    if (merger->united.definitions.failed ||
        !numbering_take(&merger->numbering, &merger->united, numbers, size / sizeof *numbers)) {
        merger->united.definitions.failed = true;
        free(numbers);
    }
}

/* Sends the numbers in the summary to a child; nothing, if this process has none itself. */
static void send_numbers(struct merger *merger, int round)
{
    size_t count = 0;
    uint32_t *numbers = merger->united.definitions.failed
                            ? NULL
                            : numbering_for(&merger->numbering, &merger->united,
                                            &merger->children[round], &count);
    rank_tree_send(&merger->ranks, rank_tree_child(&merger->ranks, round), numbers,
                   numbers ? count * sizeof *numbers : 0);
    free(numbers);
}

static void spread_downwards(struct merger *merger)
{
    const struct rank_tree *ranks = &merger->ranks;
    if (rank_tree_parent(ranks) < 0)
        number_as_root(merger);
    else
        receive_numbers(merger);
    for (int round = rank_tree_rounds(ranks); round-- > 0;)
        if (rank_tree_child(ranks, round) >= 0)
            send_numbers(merger, round);
}

/* Adds the sections that describe the whole run, at rank 0. */
static void add_common(struct merger *merger)
{
    struct encoder run = {0}, metrics = {0}, system = {0}, topologies = {0};
    struct description *shared = &merger->description;
    facts_encode(merger->ranks.size, merger->end_ns, &run);
    facts_encode_metrics(&merger->united.definitions, &metrics);
    hosts_encode(&merger->united.hosts, &system);
    topologies_encode(&merger->united.topologies, &topologies);
    if (trace_is_on_async())
        program_sections_copy(&merger->program, shared);
    const struct {
        enum format_section kind;
        struct encoder *content;
    } sections[] = {
        {SECTION_RUN, &run},
        {SECTION_METRICS, &metrics},
        {SECTION_MODULES, &shared->modules},
        {SECTION_REGIONS, &shared->regions},
        {SECTION_CALLTREE, &shared->calltree},
        {SECTION_SYSTEM, &system},
        {SECTION_PHASES, &shared->phases},
        {SECTION_TOPOLOGIES, &topologies},
    };
    _Static_assert(sizeof sections / sizeof sections[0] == FORMAT_COMMON_SECTIONS,
                   "every kind of a run is written once");
    for (size_t i = 0; i < FORMAT_COMMON_SECTIONS; i++)
        sections_add(&merger->contribution.sections, sections[i].kind, FORMAT_NO_LOCATION,
                     sections[i].content);
}

/* Adds the LOCATION section of one thread of this process. */
static void add_location(struct merger *merger, const struct described *described)
{
    const struct numbering *numbering = &merger->numbering;
    const struct thread *thread = described->thread;
    struct contribution *contribution = &merger->contribution;
    struct encoder section = {0};
    uint32_t *phases = merger->phases, counters[COUNTERS_MOST];
    for (uint32_t n = 0; n < thread->tree.node_count; n++)
        if (described->nodes[n] != DEFINITION_NONE)
            described->nodes[n] = numbering->nodes[described->nodes[n]];
    for (uint32_t p = 0; p < phase_count; p++)
        phases[p] = merger->phase_map[p] == DEFINITION_NONE
                        ? (uint32_t)DEFINITION_NONE
                        : numbering->phases[merger->phase_map[p]];
    for (unsigned c = 0; c < counters_count; c++)
        counters[c] = numbering->counters[merger->counter_map[c]];
    const struct location_maps maps = {
        .nodes = described->nodes, .phases = phases, .counters = counters};
    const struct location_place place = {.rank = (uint32_t)merger->ranks.shown_rank,
                                         .host = numbering->hosts[merger->host]};
    location_encode(thread, &place, &maps, &section);
    sections_add(&contribution->sections, SECTION_LOCATION, (uint32_t)contribution->locations++,
                 &section);
}

/* Encodes this process's sections: all its threads, oldest first. */
static void contribute(struct merger *merger)
{
    const bool failed = merger->united.definitions.failed;
    struct contribution *contribution = &merger->contribution;
    *contribution = (struct contribution){.sections = {.failed = failed},
                                          .whole = !failed && merger->thread_count > 0};
    if (failed)
        return;
    contribution->sections.pack = zstd_pack();
    if (merger->ranks.rank == 0)
        add_common(merger);
    for (size_t i = merger->thread_count; i-- > 0;)
        add_location(merger, &merger->threads[i]);
}

/* Writes the trace, if there is one, beside the summary NAME; see write_trace. */
static bool trace(struct merger *merger, const char *name)
{
    const size_t count = merger->thread_count;
    struct traced_thread *threads =
        trace_is_on_async() ? calloc(count + 1, sizeof *threads) : NULL;
    const bool whole = threads && !merger->united.definitions.failed;
    for (size_t i = 0; whole && i < count; i++)
        threads[i] =
            (struct traced_thread){merger->threads[i].thread, merger->threads[i].nodes};
    const struct traced_process process = {
        .threads = threads,
        .thread_count = count,
        .phases = merger->phases,
        .host = whole ? merger->numbering.hosts[merger->host] : 0,
        .program = &merger->program,
        .hosts = &merger->united.hosts,
        .summary = name,
    };
    const bool settled = write_trace(&merger->ranks, whole ? &process : NULL);
    free(threads);
    return settled;
}

static void free_merger(struct merger *merger)
{
    for (size_t i = 0; i < merger->thread_count; i++) {
        free(merger->threads[i].nodes);
        free(merger->threads[i].used);
    }
    free(merger->threads);
    for (int i = 0; i < RANK_TREE_ROUNDS_MOST; i++)
        united_maps_free(&merger->children[i]);
    free(merger->numbering.nodes);
    united_free(&merger->united);
    sections_free(&merger->contribution.sections);
    program_sections_free(&merger->program);
}

static enum merge_outcome merge(const struct rank_tree *ranks, int64_t end_ns,
                                const char *suffix, bool absent)
{
    /* Static, since every process must take part in the merge even without memory. */
    static struct merger the_only_one;
    struct merger *merger = &the_only_one;
    struct floating floating;
    floating_begin(&floating);
    memset(merger, 0, sizeof *merger);
    merger->ranks = *ranks;
    merger->end_ns = end_ns;
    merger->united.definitions.failed = absent;
    shown_loops_agree(&merger->ranks);
    if (!absent)
        describe_own(merger);
    unite_upwards(merger);
    spread_downwards(merger);
    contribute(merger);
    merger->ranks.doing = "numbers";
    static char name[OUTPUT_NAME_BYTES];
    merger->contribution.name = name;
    bool whole = publish(&merger->ranks, &merger->contribution, suffix);
    const bool settled = trace(merger, name);
    last_line_say();
    free_merger(merger);
    floating_end(&floating);
    return !whole ? MERGE_INCOMPLETE : settled ? MERGE_WHOLE : MERGE_NO_TRACE;
}

enum merge_outcome merge_and_write(int64_t end_ns)
{
    struct rank_tree ranks;
    world_ask_version();
    if (!rank_tree_join(&ranks))
        return write_alone(end_ns);
    const enum merge_outcome outcome = merge(&ranks, end_ns, "", false);
    rank_tree_leave(&ranks);
    return outcome;
}

void merge_nothing(void)
{
    struct rank_tree ranks;
    if (!rank_tree_join(&ranks))
        return;
    merge(&ranks, 0, "", true);
    rank_tree_leave(&ranks);
}

enum merge_outcome write_alone(int64_t end_ns)
{
    char suffix[32];
    struct rank_tree ranks = rank_tree_alone(own_rank < 0 ? 0 : own_rank);
    snprintf(suffix, sizeof suffix, ".rank%d", ranks.shown_rank);
    return merge(&ranks, end_ns, suffix, false);
}
