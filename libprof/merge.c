/* See merge.h. */
#include "merge.h"

#include "config.h"
#include "counters.h"
#include "definitions.h"
#include "describe.h"
#include "facts.h"
#include "floating.h"
#include "hosts.h"
#include "location.h"
#include "message.h"
#include "mpi_real.h"
#include "output.h"
#include "own_stack.h"
#include "phase.h"
#include "placement.h"
#include "resolve.h"
#include "topologies.h"
#include "topology.h"
#include "usage.h"
#include "whereabouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG_DEFINITIONS = 1, TAG_NUMBERS, TAG_LOCATIONS, ROUNDS_MOST = 32, HOST_BYTES = 256 };

/* The processes that merge; size 1 needs no MPI. */
struct team {
    MPI_Comm comm;
    int rank;
    int size;
    int shown_rank; /* the rank that the summary gives to this process */
};

/* A thread of this process and, for every node of its call tree: */
struct described {
    const struct thread *thread;
    bool *used;      /* whether it is in the summary, see usage.h */
    uint32_t *nodes; /* its definition node, if it is used */
};

/* This process's side of the merge. */
struct merger {
    struct team team;
    int64_t end_ns;
    struct definitions definitions;
    struct definition_maps children[ROUNDS_MOST]; /* by round of the binomial tree */
    struct described *threads;                    /* newest first */
    size_t thread_count;
    uint32_t phase_map[PHASES_MOST];
    uint32_t counter_map[COUNTERS_MOST];
    uint32_t *numbers; /* by definition node: summary node */
    uint32_t *phase_numbers;
    uint32_t *counter_numbers; /* metrics */
    struct description description;
};

static int own_rank = -1;

void merge_set_rank(int rank)
{
    own_rank = rank;
}

/* Messages of any length: the length first. */
static void send_bytes(const struct team *team, int to, int tag, const void *bytes, size_t size)
{
    uint64_t length = size;
    PREAL(MPI_Send)(&length, sizeof length, MPI_BYTE, to, tag, team->comm);
    for (size_t sent = 0; sent < size;) {
        size_t piece = size - sent > (1u << 30) ? (1u << 30) : size - sent;
        PREAL(MPI_Send)((const char *)bytes + sent, (int)piece, MPI_BYTE, to, tag, team->comm);
        sent += piece;
    }
}

/* The bytes are the caller's to free; NULL with *SIZE 0 for an empty message or no memory. */
static void *receive_bytes(const struct team *team, int from, int tag, size_t *size)
{
    uint64_t length = 0;
    PREAL(MPI_Recv)(&length, sizeof length, MPI_BYTE, from, tag, team->comm, MPI_STATUS_IGNORE);
    char *bytes = malloc(length ? length : 1);
    char spill[4096];
    for (uint64_t got = 0, piece; got < length; got += piece) {
        piece = length - got > (1u << 30) ? (1u << 30) : length - got;
        /* Without memory to take it, MPI drops what goes beyond the room. */
        uint64_t room = bytes || piece < sizeof spill ? piece : sizeof spill;
        PREAL(MPI_Recv)
        (bytes ? bytes + got : spill, (int)room, MPI_BYTE, from, tag, team->comm,
         MPI_STATUS_IGNORE);
    }
    *size = bytes ? length : 0;
    return bytes;
}

/* Lists the threads whose numbers may be looked at. */
static void list_threads(struct merger *merger)
{
    size_t count = 0;
    for (const struct thread *each = thread_newest; each; each = each->next)
        count++;
    merger->threads = calloc(count + 1, sizeof *merger->threads);
    if (!merger->threads) {
        merger->definitions.failed = true;
        return;
    }
    for (const struct thread *each = thread_newest; each; each = each->next)
        if (!each->stuck)
            merger->threads[merger->thread_count++].thread = each;
}

/*
 * Finds which call paths of a thread are used, and where those have their places that are on
 * OPENER, which gets to know of it; OPENER itself comes last.
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
    usage_find(described->thread, described->used);
    placement_find(described->thread, opener->thread, described->nodes);
    usage_spread(tree, described->nodes, described->used);
    for (uint32_t i = 0; i < tree->node_count; i++)
        if (described->used[i] && described->nodes[i] != PLACEMENT_NONE)
            opener->used[described->nodes[i]] = true;
    return true;
}

/* Describes a thread; its OpenMP regions where OPENER, described before, has opened them. */
static void describe_thread(struct merger *merger, const struct modmap *modules,
                            struct described *described, const struct described *opener)
{
    _Static_assert((uint32_t)PLACEMENT_NONE == (uint32_t)DEFINITION_NONE,
                   "a node without a place has no number yet");
    for (uint32_t i = 0; i < described->thread->tree.node_count; i++)
        if (described->nodes[i] != PLACEMENT_NONE)
            described->nodes[i] = opener->nodes[described->nodes[i]];
    describe_tree(&merger->definitions, modules, &described->thread->tree, described->used,
                  described->nodes);
}

static void describe_own(struct merger *merger)
{
    struct modmap modules;
    modmap_load(&modules);
    list_threads(merger);
    /* The oldest is the one that others have their places from: the last in the list. */
    struct described *threads = merger->threads,
                     *opener = merger->thread_count ? &threads[merger->thread_count - 1] : NULL;
    for (size_t i = 0; i < merger->thread_count && !merger->definitions.failed; i++)
        merger->definitions.failed = !find_used(&threads[i], opener);
    for (size_t i = merger->thread_count; i-- > 0 && !merger->definitions.failed;)
        describe_thread(merger, &modules, &threads[i], opener);
    describe_phases(&merger->definitions, merger->phase_map);
    describe_counters(&merger->definitions, merger->counter_map);
    modmap_free(&modules);
}

/* Takes in the descriptions of this process's subtree, then passes the union on. */
static void unite_upwards(struct merger *merger)
{
    const struct team *team = &merger->team;
    for (int round = 0; 1 << round < team->size; round++) {
        int bit = 1 << round;
        if (team->rank & bit) {
            struct encoder out = {0};
            definitions_encode(&merger->definitions, &out);
            send_bytes(team, team->rank - bit, TAG_DEFINITIONS, out.bytes, out.size);
            encoder_free(&out);
            return;
        }
        if (team->rank + bit < team->size) {
            struct decoder in = {0};
            void *bytes = receive_bytes(team, team->rank + bit, TAG_DEFINITIONS, &in.size);
            in.bytes = bytes;
            definitions_merge(&merger->definitions, &in, &merger->children[round]);
            free(bytes);
        }
    }
}

/* The numbers that a child's nodes, phases and counters got, one after the other. */
static void send_numbers(const struct merger *merger, int to,
                         const struct definition_maps *maps)
{
    size_t count = (size_t)maps->node_count + maps->phase_count + maps->counter_count;
    /* Without numbers of its own this process has none to give: the child learns it so. */
    uint32_t *numbers = merger->definitions.failed ? NULL : calloc(count + 1, sizeof *numbers);
    for (uint32_t i = 0; numbers && i < maps->node_count; i++)
        if (maps->nodes[i] < merger->definitions.node_count)
            numbers[i] = merger->numbers[maps->nodes[i]];
    for (uint32_t i = 0; numbers && i < maps->phase_count; i++)
        if (maps->phases[i] < merger->definitions.phase_count)
            numbers[maps->node_count + i] = merger->phase_numbers[maps->phases[i]];
    for (uint32_t i = 0; numbers && i < maps->counter_count; i++)
        if (maps->counters[i] < merger->definitions.counter_count)
            numbers[maps->node_count + maps->phase_count + i] =
                merger->counter_numbers[maps->counters[i]];
    send_bytes(&merger->team, to, TAG_NUMBERS, numbers, numbers ? count * sizeof *numbers : 0);
    free(numbers);
}

/* NUMBERS are those of nodes, phases and counters, one after the other. */
static void take_numbers(struct merger *merger, uint32_t *numbers)
{
    merger->numbers = numbers;
    merger->phase_numbers = numbers + merger->definitions.node_count;
    merger->counter_numbers = merger->phase_numbers + merger->definitions.phase_count;
}

static void receive_numbers(struct merger *merger, int from)
{
    size_t size;
    uint32_t *numbers = receive_bytes(&merger->team, from, TAG_NUMBERS, &size);
    size_t wanted = (size_t)merger->definitions.node_count + merger->definitions.phase_count +
                    merger->definitions.counter_count;
    if (numbers && size == wanted * sizeof *numbers) {
        take_numbers(merger, numbers);
        return;
    }
    free(numbers);
    merger->definitions.failed = true;
}

static void resolve_all(void *context)
{
    struct merger *merger = context;
    if (!resolve(&merger->definitions, &merger->description, merger->numbers))
        merger->definitions.failed = true;
}

static void number_as_root(struct merger *merger)
{
    const struct definitions *all = &merger->definitions;
    size_t count = (size_t)all->node_count + all->phase_count + all->counter_count;
    uint32_t *numbers = calloc(count + 1, sizeof *numbers);
    if (!numbers || all->failed) {
        free(numbers);
        merger->definitions.failed = true;
        return;
    }
    take_numbers(merger, numbers);
    for (uint32_t i = 0; i < all->phase_count; i++)
        merger->phase_numbers[i] = i;
    for (uint32_t i = 0; i < all->counter_count; i++)
        merger->counter_numbers[i] = METRIC_COUNT + i;
    own_stack_call(resolve_all, merger);
    whereabouts_complain();
}

static void spread_downwards(struct merger *merger)
{
    const struct team *team = &merger->team;
    int rounds = 0;
    while (1 << rounds < team->size && !(team->rank & (1 << rounds)))
        rounds++;
    if (team->rank == 0)
        number_as_root(merger);
    else
        receive_numbers(merger, team->rank - (1 << rounds));
    for (int round = rounds; round-- > 0;)
        if (team->rank + (1 << round) < team->size)
            send_numbers(merger, team->rank + (1 << round), &merger->children[round]);
}

/*
 * Host, process id, topologies and the sections of all threads, oldest first, as one message to
 * rank 0.
 */
static void encode_process(const struct merger *merger, struct encoder *out)
{
    char host[HOST_BYTES];
    if (gethostname(host, sizeof host) != 0)
        host[0] = '\0';
    host[sizeof host - 1] = '\0';
    encode_string(out, host);
    encode_varint(out, (uint64_t)getpid());
    topology_encode(out);
    if (merger->definitions.failed) {
        encode_varint(out, 0);
        return;
    }
    encode_varint(out, merger->thread_count);
    for (size_t i = merger->thread_count; i-- > 0;) {
        const struct thread *thread = merger->threads[i].thread;
        uint32_t *nodes = merger->threads[i].nodes;
        for (uint32_t n = 0; n < thread->tree.node_count; n++)
            if (nodes[n] != DEFINITION_NONE)
                nodes[n] = merger->numbers[nodes[n]];
        uint32_t phases[PHASES_MOST];
        for (uint32_t p = 0; p < phase_count; p++)
            phases[p] = merger->phase_numbers[merger->phase_map[p]];
        uint32_t counters[COUNTERS_MOST];
        for (unsigned c = 0; c < counters_count; c++)
            counters[c] = merger->counter_numbers[merger->counter_map[c]];
        struct location_maps maps = {.nodes = nodes, .phases = phases, .counters = counters};
        struct encoder section = {0};
        location_encode(thread, &maps, &section);
        encode_varint(out, (uint64_t)thread->number);
        encode_varint(out, section.size);
        encode_bytes(out, section.bytes, section.size);
        out->failed = out->failed || section.failed;
        encoder_free(&section);
    }
}

/* The SYSTEM and TOPOLOGIES sections under way at rank 0. */
struct system_list {
    struct hosts hosts;
    struct encoder locations;
    uint64_t location_count;
    struct topologies topologies;
};

/* Writes the sections of the process with RANK; false if its message was not whole. */
static bool write_process(struct output *output, struct system_list *list, int rank,
                          struct decoder *in)
{
    size_t length;
    const char *host = decode_string(in, &length);
    uint64_t host_number = hosts_add(&list->hosts, host, length);
    uint64_t process = decode_varint(in);
    topologies_add(&list->topologies, in);
    uint64_t threads = decode_count(in, 2);
    for (uint64_t i = 0; i < threads && !in->failed; i++) {
        uint64_t thread = decode_varint(in);
        uint64_t size = decode_count(in, 1);
        if (in->failed)
            return false;
        output_section(output, SECTION_LOCATION, (uint32_t)list->location_count++,
                       in->bytes + in->at, size);
        in->at += size;
        encode_varint(&list->locations, (uint64_t)rank);
        encode_varint(&list->locations, thread);
        encode_varint(&list->locations, host_number + 1);
        encode_varint(&list->locations, process);
    }
    return threads > 0 && !in->failed;
}

static void write_system(struct output *output, struct system_list *list)
{
    struct encoder section = {0};
    hosts_encode(&list->hosts, &section);
    encode_varint(&section, list->location_count);
    encode_bytes(&section, list->locations.bytes, list->locations.size);
    output_section(output, SECTION_SYSTEM, FORMAT_NO_LOCATION, section.bytes, section.size);
    encoder_free(&section);
    hosts_free(&list->hosts);
    encoder_free(&list->locations);
}

static void write_topologies(struct output *output, struct system_list *list)
{
    struct encoder section = {0};
    topologies_encode(&list->topologies, &section);
    output_section(output, SECTION_TOPOLOGIES, FORMAT_NO_LOCATION, section.bytes, section.size);
    encoder_free(&section);
    topologies_free(&list->topologies);
}

static void write_description(struct output *output, struct merger *merger)
{
    struct encoder run = {0}, metrics = {0};
    struct description *shared = &merger->description;
    facts_encode(merger->team.size, merger->end_ns, &run);
    facts_encode_metrics(&merger->definitions, &metrics);
    const struct {
        enum format_section kind;
        struct encoder *content;
    } sections[] = {
        {SECTION_RUN, &run},
        {SECTION_METRICS, &metrics},
        {SECTION_MODULES, &shared->modules},
        {SECTION_REGIONS, &shared->regions},
        {SECTION_CALLTREE, &shared->calltree},
        {SECTION_PHASES, &shared->phases},
    };
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        output_section(output, sections[i].kind, FORMAT_NO_LOCATION, sections[i].content->bytes,
                       sections[i].content->size);
        encoder_free(sections[i].content);
    }
}

static void write_summary(struct merger *merger, const struct encoder *own, const char *suffix)
{
    struct output output;
    struct system_list list = {0};
    bool whole = !*suffix && !merger->definitions.failed;
    output_open(&output, merger->team.size, suffix);
    write_description(&output, merger);
    struct decoder in = {.bytes = own->bytes, .size = own->size};
    whole &= write_process(&output, &list, merger->team.shown_rank, &in);
    for (int rank = 1; rank < merger->team.size; rank++) {
        struct decoder other = {0};
        void *bytes = receive_bytes(&merger->team, rank, TAG_LOCATIONS, &other.size);
        other.bytes = bytes;
        whole &= write_process(&output, &list, rank, &other);
        free(bytes);
    }
    write_system(&output, &list);
    write_topologies(&output, &list);
    if (output_close(&output, whole ? FORMAT_COMPLETE : FORMAT_PARTIAL))
        message(1, "%s of %d process%s is in %s; to look at it: tsprof report %s",
                whole ? "the measurement" : "part of the measurement", merger->team.size,
                merger->team.size == 1 ? "" : "es", output.name, output.name);
}

static void merge(const struct team *team, int64_t end_ns, const char *suffix)
{
    /* Static: whoever merges must take part whatever memory is left. */
    static struct merger the_only_one;
    struct merger *merger = &the_only_one;
    struct encoder own = {0};
    struct floating floating;
    floating_begin(&floating);
    merger->team = *team;
    merger->end_ns = end_ns;
    describe_own(merger);
    unite_upwards(merger);
    spread_downwards(merger);
    encode_process(merger, &own);
    if (team->rank == 0)
        write_summary(merger, &own, suffix);
    else
        send_bytes(team, 0, TAG_LOCATIONS, own.bytes, own.size);
    encoder_free(&own);
    for (size_t i = 0; i < merger->thread_count; i++) {
        free(merger->threads[i].nodes);
        free(merger->threads[i].used);
    }
    free(merger->threads);
    for (int i = 0; i < ROUNDS_MOST; i++)
        definition_maps_free(&merger->children[i]);
    free(merger->numbers);
    definitions_free(&merger->definitions);
    floating_end(&floating);
}

/*
 * A communicator of tsprof's own.  Not a duplicate: that would run the program's attribute
 * callbacks.  Nor may the program's error handler hear of a failure.
 */
static bool split_world(struct team *team)
{
    MPI_Errhandler handler;
    PREAL(MPI_Comm_get_errhandler)(MPI_COMM_WORLD, &handler);
    PREAL(MPI_Comm_set_errhandler)(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int status = PREAL(MPI_Comm_split)(MPI_COMM_WORLD, 0, team->rank, &team->comm);
    PREAL(MPI_Comm_set_errhandler)(MPI_COMM_WORLD, handler);
    PREAL(MPI_Errhandler_free)(&handler);
    return status == MPI_SUCCESS;
}

void merge_and_write(int64_t end_ns)
{
    struct team team = {0};
    facts_ask_mpi();
    PREAL(MPI_Comm_rank)(MPI_COMM_WORLD, &team.rank);
    if (!split_world(&team)) {
        write_alone(end_ns);
        return;
    }
    PREAL(MPI_Comm_set_errhandler)(team.comm, MPI_ERRORS_RETURN);
    PREAL(MPI_Comm_size)(team.comm, &team.size);
    team.shown_rank = team.rank;
    merge(&team, end_ns, "");
    PREAL(MPI_Comm_free)(&team.comm);
}

void write_alone(int64_t end_ns)
{
    char suffix[32];
    struct team team = {.size = 1, .shown_rank = own_rank < 0 ? 0 : own_rank};
    snprintf(suffix, sizeof suffix, ".rank%d", team.shown_rank);
    merge(&team, end_ns, suffix);
}
