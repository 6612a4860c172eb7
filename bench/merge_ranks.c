/*
 * What merging costs at the end of a job of many ranks, by simulation: the descriptions of
 * RANKS synthetic processes are united in the order of the tree that the runtime uses, by the
 * code that it uses, and the numbers of the summary travel back.
 *
 *     merge_ranks RANKS
 *
 * Depth first, so that only log2(RANKS) descriptions live at once.  Each process's work is
 * timed on its own; messages take LATENCY_S and BYTES_PER_S, and where one process waits for
 * another is worked out: so the time is that of the critical path, as if each rank had a
 * processor.  A process has COMMON call paths like all others, OWN like one in ROLES, one host
 * for each PER_HOST, and is in two Cartesian topologies: a square of all, and its row.
 *
 * Prints: ranks, critical path up and down in seconds, largest memory of a process, largest
 * message up and all messages together, call paths in the end, bytes that the sections which
 * are about all take.
 */
#include "assemble/sections.h"
#include "assemble/united.h"
#include "common/format.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COMMON = 300, OWN = 40, ROLES = 24, PER_HOST = 64, ROUNDS = 32, NAMES = 40 };

#define LATENCY_S   2e-6
#define BYTES_PER_S 5e9

static unsigned ranks;

static double down_s[ROUNDS + 1]
                    [ROUNDS]; /* until child J of a process with K rounds is served */
static size_t memory_most, message_most, message_sum, down_bytes_most;

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double transfer_s(size_t bytes)
{
    return LATENCY_S + (double)bytes / BYTES_PER_S;
}

static size_t heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* COUNT call paths: a tree of functions, each called from one before it; every fifth is MPI's.
 */
static void describe_paths(struct definitions *definitions, uint32_t root, uint64_t code,
                           unsigned count)
{
    uint32_t nodes[COMMON > OWN ? COMMON : OWN];
    uint32_t module =
        definitions_module(definitions, "/opt/code/bin/solver", "0123456789abcdef");
    for (unsigned i = 0; i < count; i++) {
        struct definition_node node = {.parent = i < 4 ? root : nodes[(i * 7) / 9],
                                       .kind = i % 5 == 4 ? REGION_MPI : REGION_FUNCTION,
                                       .name = DEFINITION_NONE,
                                       .group = DEFINITION_NONE,
                                       .function = {DEFINITION_NONE, 0},
                                       .site = {module, code + 64 * i + 5}};
        if (node.kind == REGION_MPI) {
            char name[32];
            snprintf(name, sizeof name, "MPI_Function_%u", i % NAMES);
            node.name = definitions_name(definitions, name);
            node.group = definitions_name(definitions, "P2P");
        } else {
            node.function = (struct place){module, code + 64 * i};
        }
        nodes[i] = definitions_node(definitions, &node);
        if (node.kind == REGION_MPI)
            nodes[i] = node.parent;
    }
}

static void describe_host(struct united *united, unsigned rank)
{
    struct encoder text = {0};
    char name[32];
    snprintf(name, sizeof name, "node%05u", rank / PER_HOST);
    encode_string(&text, name);
    encode_varint(&text, 2);
    encode_string(&text, "processor");
    encode_string(&text, "A Processor of Some Model @ 2.40GHz");
    encode_string(&text, "processors");
    encode_string(&text, "64");
    hosts_add(&united->hosts, text.bytes, text.size);
    encoder_free(&text);
}

/* A grid of COLUMNS by ROWS ranks from FIRST on. */
static void encode_grid(struct encoder *out, unsigned first, unsigned columns, unsigned rows,
                        unsigned member)
{
    struct encoder shape = {0};
    encode_varint(&shape, TOPOLOGY_CARTESIAN);
    encode_varint(&shape, 1);
    encode_varint(&shape, first);
    encode_signed(&shape, 1);
    encode_varint(&shape, (uint64_t)columns * rows);
    encode_varint(&shape, 2);
    encode_varint(&shape, rows);
    encode_varint(&shape, 0);
    encode_varint(&shape, columns);
    encode_varint(&shape, 0);
    encode_varint(out, shape.size);
    encode_bytes(out, shape.bytes, shape.size);
    encode_varint(out, 0);
    encode_varint(out, member == 0);
    encode_varint(out, 1);
    encode_string(out, rows > 1 ? "all" : "row");
    encode_varint(out, 0);
    encode_varint(out, 0);
    encoder_free(&shape);
}

static void describe_topologies(struct united *united, unsigned rank)
{
    const unsigned columns = (unsigned)sqrt(ranks), rows = ranks / columns;
    struct encoder out = {0};
    const bool inside = rank < rows * columns;
    encode_varint(&out, inside ? 2 : 0);
    if (inside) {
        encode_grid(&out, 0, columns, rows, rank);
        encode_grid(&out, rank / columns * columns, columns, 1, rank % columns);
    }
    encode_varint(&out, 0);
    encode_varint(&out, 0);
    struct decoder in = {out.bytes, out.size, 0, false};
    topologies_add(&united->topologies, &in);
    encoder_free(&out);
}

static void describe(struct united *united, unsigned rank)
{
    struct definitions *definitions = &united->definitions;
    struct definition_node root = {.parent = DEFINITION_NONE,
                                   .kind = REGION_ARTIFICIAL,
                                   .name = definitions_name(definitions, "program"),
                                   .group = DEFINITION_NONE,
                                   .function = {DEFINITION_NONE, 0},
                                   .site = {DEFINITION_NONE, 0}};
    uint32_t number = definitions_node(definitions, &root);
    describe_paths(definitions, number, 0x1000, COMMON);
    describe_paths(definitions, number, 0x100000 + 0x10000 * (rank % ROLES), OWN);
    definitions_phase(definitions, "timestep", true);
    describe_host(united, rank);
    describe_topologies(united, rank);
}

/* What a process passes on, and when. */
struct passed {
    struct encoder message;
    double ready_s;
};

static void note_memory(size_t before)
{
    size_t taken = heap_bytes() - before;
    memory_most = taken > memory_most ? taken : memory_most;
}

/* Takes in the child's description; the time at which that is done. */
static double take_in(struct united *united, struct passed *child, struct united_maps *maps,
                      double ready_s)
{
    double arrival_s = child->ready_s + transfer_s(child->message.size), begin = now_s();
    struct decoder in = {child->message.bytes, child->message.size, 0, false};
    united_merge(united, &in, maps);
    encoder_free(&child->message);
    return fmax(ready_s, arrival_s) + (now_s() - begin);
}

/* Prepares the numbers of each child, as on the way back; the largest subtree comes first. */
static void time_numbers(const struct united *united, const struct united_maps *children,
                         int rounds)
{
    struct numbering numbering = {0};
    if (!numbering_begin(&numbering, united)) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    double served_s = 0;
    for (int round = rounds; round-- > 0;) {
        double begin = now_s();
        size_t count;
        uint32_t *numbers = numbering_for(&numbering, united, &children[round], &count);
        size_t bytes = count * sizeof *numbers;
        down_bytes_most = bytes > down_bytes_most ? bytes : down_bytes_most;
        free(numbers);
        served_s += now_s() - begin + transfer_s(bytes);
        down_s[rounds][round] = fmax(down_s[rounds][round], served_s);
    }
    free(numbering.nodes);
}

static int rounds_of(unsigned rank)
{
    int rounds = 0;
    while (1u << rounds < ranks && !(rank >> rounds & 1))
        rounds++;
    return rounds;
}

static void write_sections(const struct united *united)
{
    struct encoder system = {0}, topologies = {0};
    struct topologies *last = (struct topologies *)&united->topologies;
    hosts_encode(&united->hosts, &system);
    topologies_encode(last, &topologies);
    printf(" %u %zu", united->definitions.node_count, system.size + topologies.size);
    encoder_free(&system);
    encoder_free(&topologies);
}

static struct passed run(unsigned rank)
{
    const size_t before = heap_bytes();
    struct united united = {0};
    struct united_maps children[ROUNDS] = {0};
    struct passed passed = {{0}, 0};
    const int rounds = rounds_of(rank);
    double begin = now_s();
    describe(&united, rank);
    passed.ready_s = now_s() - begin;
    for (int round = 0; round < rounds; round++) {
        if (rank + (1u << round) >= ranks)
            continue;
        struct passed child = run(rank + (1u << round));
        note_memory(before);
        passed.ready_s = take_in(&united, &child, &children[round], passed.ready_s);
    }
    time_numbers(&united, children, rounds);
    begin = now_s();
    united_encode(&united, &passed.message);
    passed.ready_s += now_s() - begin;
    note_memory(before);
    if (united.definitions.failed)
        exit(1);
    if (rank > 0) {
        message_sum += passed.message.size;
        message_most = passed.message.size > message_most ? passed.message.size : message_most;
    } else {
        write_sections(&united);
    }
    for (int round = 0; round < rounds; round++)
        united_maps_free(&children[round]);
    united_free(&united);
    return passed;
}

/* When the last process below one with so many rounds has its numbers. */
static double down(int rounds)
{
    double last_s = 0;
    for (int round = 0; round < rounds; round++)
        last_s = fmax(last_s, down_s[rounds][round] + down(round));
    return last_s;
}

int main(int argc, char **argv)
{
    ranks = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    if (ranks == 0)
        return 2;
    printf("%u", ranks);
    struct passed root = run(0);
    printf(" %.6f %.6f %zu %zu %zu %zu\n", root.ready_s, down(rounds_of(0)), memory_most,
           message_most, message_sum, down_bytes_most);
    encoder_free(&root.message);
    return 0;
}
