/*
 * Fuzz target: what processes say of themselves, taken in one after the other.  The input is an
 * image (image.h) whose sections are the messages; files that abnormal ends leave have the
 * same.
 *
 * Each is taken in or refused.  What was taken in is a call tree, can be written and taken in
 * again, and what it becomes in a summary can be read.
 */
#include "assemble/united.h"
#include "base/memory.h"
#include "file/topology_list.h"
#include "fuzz.h"
#include "image.h"

#include "common/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "fuzz_messages: %s\n", what);
    abort();
}

static void check_ref(uint32_t number, uint32_t count)
{
    if (number != (uint32_t)DEFINITION_NONE && number >= count)
        fail("a number of nothing");
}

static void check_node(const struct definitions *definitions, uint32_t number)
{
    const struct definition_node *node = &definitions->nodes[number];
    if ((node->parent == (uint32_t)DEFINITION_NONE) != (number == 0) ||
        (number > 0 && node->parent >= number))
        fail("a node that is nowhere in the tree");
    if (node->kind > REGION_ARTIFICIAL)
        fail("a node of no kind");
    if (node->kind != REGION_FUNCTION && node->name == (uint32_t)DEFINITION_NONE)
        fail("a node without a name");
    check_ref(node->name, definitions->name_count);
    check_ref(node->group, definitions->name_count);
    check_ref(node->function.module, definitions->module_count);
    check_ref(node->site.module, definitions->module_count);
}

static void check_definitions(const struct definitions *definitions)
{
    for (uint32_t i = 0; i < definitions->node_count; i++)
        check_node(definitions, i);
    for (uint32_t i = 0; i < definitions->phase_count; i++)
        if (definitions->phases[i].name >= definitions->name_count)
            fail("a phase without a name");
    for (uint32_t i = 0; i < definitions->counter_count; i++)
        if (definitions->counters[i] >= definitions->name_count)
            fail("a counter without a name");
}

static void check_map(const uint32_t *map, uint32_t length, uint32_t count)
{
    for (uint32_t i = 0; i < length; i++)
        if (map[i] >= count)
            fail("a map leads nowhere");
}

static void check_maps(const struct united_maps *maps, const struct united *united)
{
    const struct definition_maps *definitions = &maps->definitions;
    check_map(definitions->nodes, definitions->node_count, united->definitions.node_count);
    check_map(definitions->phases, definitions->phase_count, united->definitions.phase_count);
    check_map(definitions->counters, definitions->counter_count,
              united->definitions.counter_count);
    check_map(maps->hosts, maps->host_count, united->hosts.texts.count);
}

static void take_in(struct united *united, const void *bytes, size_t size)
{
    struct decoder in = {bytes, size, 0, false};
    struct united_maps maps;
    united_merge(united, &in, &maps);
    if (!united->definitions.failed) {
        check_definitions(&united->definitions);
        check_maps(&maps, united);
    }
    united_maps_free(&maps);
}

static void check_again(const struct united *united)
{
    struct encoder out = {0};
    struct united again = {0};
    united_encode(united, &out);
    take_in(&again, out.bytes, out.size);
    if (again.definitions.failed)
        fail("what was taken in once is not a second time");
    if (again.definitions.node_count != united->definitions.node_count ||
        again.hosts.texts.count != united->hosts.texts.count)
        fail("it is less the second time");
    united_free(&again);
    encoder_free(&out);
}

static void check_topologies(struct united *united)
{
    struct encoder out = {0};
    struct memory_pool pool = {0};
    struct topology_list list = {0};
    uint64_t index;
    topologies_encode(&united->topologies, &out);
    struct decoder in = {out.bytes, out.size, 0, false};
    const char *fault = topologies_read(&in, &pool, &list, &index);
    if (fault || in.failed || in.at != in.size)
        fail(fault ? fault : "topologies cannot be read");
    memory_pool_free(&pool);
    encoder_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct image image;
    struct united united = {0};
    image_parse(&image, data, size);
    for (size_t i = 0; i < image.count && !united.definitions.failed; i++)
        take_in(&united, image.sections[i].content, image.sections[i].size);
    if (!united.definitions.failed) {
        check_again(&united);
        check_topologies(&united);
    }
    united_free(&united);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return image_mutate(data, size, most, seed, LLVMFuzzerMutate);
}

/* A root, and some functions that call MPI. */
static void describe(struct definitions *definitions, uint64_t first)
{
    const struct place nowhere = {DEFINITION_NONE, 0};
    struct definition_node root = {
        DEFINITION_NONE, REGION_ARTIFICIAL, definitions_name(definitions, "program"),
        DEFINITION_NONE, nowhere,           nowhere};
    uint32_t parent = definitions_node(definitions, &root);
    for (uint64_t i = first; i < first + 4; i++) {
        uint32_t module = definitions_module(definitions, i % 2 ? "/a/b.so" : "/a/c", "abcd");
        struct definition_node function = {parent,          REGION_FUNCTION,  DEFINITION_NONE,
                                           DEFINITION_NONE, {module, 16 * i}, nowhere};
        parent = definitions_node(definitions, &function);
        struct definition_node call = {parent,
                                       REGION_MPI,
                                       definitions_name(definitions, "MPI_Send"),
                                       definitions_name(definitions, "P2P"),
                                       nowhere,
                                       {module, 16 * i + 5}};
        definitions_node(definitions, &call);
    }
    definitions_phase(definitions, first ? "late" : "early", first == 0);
    definitions_counter(definitions, "PAPI_TOT_CYC");
}

/* A grid of 2 x 2, a graph and a distributed one, as the processes with rank RANK of 4 say it.
 */
static void add_topologies(struct topologies *topologies, unsigned rank)
{
    static const struct {
        const char *shape;
        size_t shape_size;
        const char *neighbors;
        size_t neighbors_size;
    } said[] = {{"\1\1\0\2\4\2\2\0\2\1", 10, "", 0},
                {"\2\1\0\2\4", 5, "\0\2\1\2", 4},
                {"\3\2\0\2\2\2\2\2", 8, "\0\1\1\1\5\1\2\7", 8}};
    struct encoder out = {0};
    encode_varint(&out, 3);
    for (unsigned i = 0; i < 3; i++) {
        encode_varint(&out, said[i].shape_size);
        encode_bytes(&out, said[i].shape, said[i].shape_size);
        encode_varint(&out, i);
        encode_varint(&out, rank == 0);
        encode_varint(&out, 1);
        encode_string(&out, i ? "ring" : "");
        encode_varint(&out, said[i].neighbors_size > 0);
        encode_varint(&out, said[i].neighbors_size);
        encode_bytes(&out, said[i].neighbors, said[i].neighbors_size);
    }
    encode_varint(&out, 0);
    encode_varint(&out, 0);
    struct decoder in = {out.bytes, out.size, 0, false};
    if (!topologies_add(topologies, &in) || in.at != in.size)
        fail("the seed is bad");
    encoder_free(&out);
}

static void add_host(struct hosts *hosts, const char *name)
{
    struct encoder text = {0};
    encode_string(&text, name);
    encode_varint(&text, 1);
    encode_string(&text, "cpu");
    encode_string(&text, "Some processor");
    hosts_add(hosts, text.bytes, text.size);
    encoder_free(&text);
}

/* One process, or two that differ. */
size_t fuzz_seed(size_t number, uint8_t *data, size_t most)
{
    struct image image = {.state = 1};
    struct encoder messages[2] = {{0}, {0}};
    if (number > 1)
        return 0;
    for (unsigned i = 0; i <= number; i++) {
        struct united united = {0};
        describe(&united.definitions, 2 * i);
        add_topologies(&united.topologies, i);
        add_host(&united.hosts, i ? "node1" : "node0");
        united_encode(&united, &messages[i]);
        image.sections[image.count++] =
            (struct image_section){1, 0, messages[i].size, messages[i].bytes};
        united_free(&united);
    }
    size_t size = image_store(&image, data, most);
    encoder_free(&messages[0]);
    encoder_free(&messages[1]);
    return size;
}
