/* Descriptions of processes: encoding, merging in any order, and damaged messages. */
#include "assemble/definitions.h"

#include "common/format.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = DEFINITION_NONE };

static uint32_t add(struct definitions *definitions, uint32_t parent, uint32_t kind,
                    uint32_t name, struct place function, struct place site)
{
    struct definition_node node = {.parent = parent,
                                   .kind = kind,
                                   .name = name,
                                   .group = kind == REGION_MPI ? name : NONE,
                                   .function = function,
                                   .site = site};
    return definitions_node(definitions, &node);
}

/* A description with a root, FUNCTIONS functions in two modules from FIRST on, and MPI below.
 */
static void describe(struct definitions *definitions, uint64_t first, uint32_t functions)
{
    const struct place nowhere = {NONE, 0};
    *definitions = (struct definitions){0};
    uint32_t root = add(definitions, NONE, REGION_ARTIFICIAL,
                        definitions_name(definitions, "program"), nowhere, nowhere);
    for (uint64_t i = first; i < first + functions; i++) {
        char path[32];
        snprintf(path, sizeof path, "lib%d.so", (int)(i % 3));
        uint32_t module = definitions_module(definitions, path, "abcd");
        struct place function = {module, i * 16};
        uint32_t node = add(definitions, root, REGION_FUNCTION, NONE, function, nowhere);
        add(definitions, node, REGION_MPI, definitions_name(definitions, "MPI_Send"), nowhere,
            (struct place){module, i * 16 + 5});
    }
    definitions_phase(definitions, first ? "late" : "early", first == 0);
    definitions_phase(definitions, "both", true);
    definitions_counter(definitions, first ? "late" : "early");
    definitions_counter(definitions, "both");
}

/* A text that is the same for the same call path, whatever its numbers. */
static void write_path(const struct definitions *definitions, uint32_t node, char *text,
                       size_t size)
{
    text[0] = '\0';
    while (node != NONE) {
        const struct definition_node *at = &definitions->nodes[node];
        size_t used = strlen(text);
        snprintf(text + used, size - used, "/%u %s %s+%jx %s+%jx", at->kind,
                 at->name == NONE ? "" : definitions->names[at->name],
                 at->function.module == NONE ? ""
                                             : definitions->modules[at->function.module].path,
                 (uintmax_t)at->function.offset,
                 at->site.module == NONE ? "" : definitions->modules[at->site.module].path,
                 (uintmax_t)at->site.offset);
        node = at->parent;
    }
}

static bool has_path(const struct definitions *definitions, const char *path)
{
    char text[1024];
    for (uint32_t i = 0; i < definitions->node_count; i++) {
        write_path(definitions, i, text, sizeof text);
        if (strcmp(text, path) == 0)
            return true;
    }
    return false;
}

static bool all_paths_in(const struct definitions *some, const struct definitions *all)
{
    char text[1024];
    for (uint32_t i = 0; i < some->node_count; i++) {
        write_path(some, i, text, sizeof text);
        if (!has_path(all, text))
            return false;
    }
    return true;
}

static void merge(struct definitions *into, const struct definitions *other,
                  struct definition_maps *maps)
{
    struct encoder out = {0};
    definitions_encode(other, &out);
    struct decoder in = {.bytes = out.bytes, .size = out.size};
    definitions_merge(into, &in, maps);
    encoder_free(&out);
}

static bool maps_lead_to_same_paths(const struct definitions *from,
                                    const struct definitions *to,
                                    const struct definition_maps *maps)
{
    char before[1024], after[1024];
    for (uint32_t i = 0; i < from->node_count; i++) {
        write_path(from, i, before, sizeof before);
        write_path(to, maps->nodes[i], after, sizeof after);
        if (strcmp(before, after) != 0)
            return false;
    }
    return maps->node_count == from->node_count;
}

static void test_a_round_trip_changes_nothing(void)
{
    struct definitions original, copy = {0};
    struct definition_maps maps;
    describe(&original, 0, 100);
    merge(&copy, &original, &maps);
    OK(!copy.failed, "it can be read");
    EQ_INT(copy.node_count, original.node_count, "as many nodes");
    EQ_INT(copy.module_count, 3, "and modules");
    EQ_INT(copy.phase_count, 2, "and phases");
    EQ_INT(copy.counter_count, 2, "and counters");
    OK(copy.counters[maps.counters[1]] == definitions_name(&copy, "both"), "with their names");
    OK(maps_lead_to_same_paths(&original, &copy, &maps), "all paths are the same");
    OK(copy.phases[maps.phases[0]].kept && copy.phases[maps.phases[1]].kept,
       "phases are kept as before");
    definition_maps_free(&maps);
    merge(&copy, &original, &maps);
    EQ_INT(copy.node_count, original.node_count, "the same again adds nothing");
    definition_maps_free(&maps);
    definitions_free(&copy);
    definitions_free(&original);
}

static void test_the_order_of_merging_does_not_matter(void)
{
    struct definitions a, b, ab, ba;
    struct definition_maps maps;
    bool ordered = true;
    describe(&a, 0, 60);
    describe(&b, 40, 60);
    describe(&ab, 0, 60);
    describe(&ba, 40, 60);
    merge(&ab, &b, &maps);
    OK(maps_lead_to_same_paths(&b, &ab, &maps), "what is merged keeps its paths");
    definition_maps_free(&maps);
    merge(&ba, &a, &maps);
    definition_maps_free(&maps);
    EQ_INT(ab.node_count, 201, "a root, and a hundred functions that call MPI");
    EQ_INT(ba.node_count, 201, "in either order");
    OK(all_paths_in(&ab, &ba) && all_paths_in(&ba, &ab), "which are the same");
    EQ_INT(ab.phase_count, 3, "phases are united");
    EQ_INT(ba.phase_count, 3, "in either order");
    EQ_INT(ab.counter_count, 3, "counters, too");
    EQ_INT(ba.counter_count, 3, "in either order");
    for (uint32_t i = 1; i < ab.node_count; i++)
        ordered = ordered && ab.nodes[i].parent < i;
    OK(ordered, "parents come before their children");
    definitions_free(&a);
    definitions_free(&b);
    definitions_free(&ab);
    definitions_free(&ba);
}

static void test_cut_messages_are_recognised(void)
{
    struct definitions original;
    struct encoder out = {0};
    size_t accepted = 0;
    describe(&original, 0, 10);
    definitions_encode(&original, &out);
    for (size_t size = 0; size < out.size; size++) {
        struct definitions into = {0};
        struct definition_maps maps;
        unsigned char *exact = malloc(size ? size : 1);
        memcpy(exact, out.bytes, size);
        struct decoder in = {.bytes = exact, .size = size};
        definitions_merge(&into, &in, &maps);
        accepted += !into.failed;
        definition_maps_free(&maps);
        definitions_free(&into);
        free(exact);
    }
    EQ_INT(accepted, 0, "%zu ways to cut a message", out.size);
    encoder_free(&out);
    definitions_free(&original);
}

/* True if a description with these as its only nodes is taken in by a good one. */
static bool is_taken(const struct definition_node *nodes, uint32_t count)
{
    struct definitions into, other = {0};
    struct definition_maps maps;
    describe(&into, 0, 3);
    definitions_name(&other, "program");
    for (uint32_t i = 0; i < count; i++)
        definitions_node(&other, &nodes[i]);
    merge(&into, &other, &maps);
    bool taken = !into.failed;
    definition_maps_free(&maps);
    definitions_free(&other);
    definitions_free(&into);
    return taken;
}

static void test_what_is_no_call_tree_is_refused(void)
{
    const struct place nowhere = {NONE, 0};
    const struct definition_node root = {NONE, REGION_ARTIFICIAL, 0, NONE, nowhere, nowhere};
    const struct definition_node function = {0,    REGION_FUNCTION, NONE,
                                             NONE, {NONE, 7},       nowhere};
    struct definition_node nodes[] = {root, function};
    OK(is_taken(nodes, 2), "a root and a function");
    nodes[1].parent = NONE;
    OK(!is_taken(nodes, 2), "a second root");
    nodes[1] = function;
    nodes[1].kind = REGION_ARTIFICIAL + 1;
    OK(!is_taken(nodes, 2), "a node of no kind");
    nodes[1].kind = REGION_MPI;
    OK(!is_taken(nodes, 2), "a call to MPI without a name");
    nodes[1] = function;
    nodes[0].kind = REGION_PHASE;
    OK(!is_taken(nodes, 2), "another root");
    OK(!is_taken(nodes + 1, 1), "no root");
}

static void test_phases_without_names_are_refused(void)
{
    static const unsigned char phase[] = {0, 0, 1, 7, 1, 0, 0}, counter[] = {0, 0, 0, 1, 7, 0};
    const struct decoder messages[] = {{phase, sizeof phase, 0, false},
                                       {counter, sizeof counter, 0, false}};
    for (size_t i = 0; i < 2; i++) {
        struct definitions into = {0};
        struct definition_maps maps;
        struct decoder in = messages[i];
        definitions_merge(&into, &in, &maps);
        OK(into.failed, "a %s of a name that is not there", i ? "counter" : "phase");
        definition_maps_free(&maps);
        definitions_free(&into);
    }
}

static void test_damaged_messages_do_no_harm(void)
{
    struct definitions original;
    struct encoder out = {0};
    uint32_t random = 1;
    describe(&original, 0, 10);
    definitions_encode(&original, &out);
    for (int round = 0; round < 5000; round++) {
        struct definitions into = {0};
        struct definition_maps maps;
        random = random * 1664525 + 1013904223;
        size_t at = (random >> 8) % out.size;
        unsigned char before = out.bytes[at];
        out.bytes[at] = (unsigned char)(random >> 24);
        struct decoder in = {.bytes = out.bytes, .size = out.size};
        definitions_merge(&into, &in, &maps);
        definition_maps_free(&maps);
        definitions_free(&into);
        out.bytes[at] = before;
    }
    OK(true, "5000 damaged messages were read");
    encoder_free(&out);
    definitions_free(&original);
}

/* Whether a description of these numbers, without names and modules but one each, is taken in.
 */
static bool takes(const uint64_t *numbers, size_t count)
{
    struct definitions into = {0};
    struct definition_maps maps;
    struct encoder out = {0};
    encode_varint(&out, 1);
    encode_string(&out, "a.out");
    encode_string(&out, "");
    encode_varint(&out, 1);
    encode_string(&out, "name");
    for (size_t i = 0; i < count; i++)
        encode_varint(&out, numbers[i]);
    struct decoder in = {out.bytes, out.size, 0, false};
    definitions_merge(&into, &in, &maps);
    bool taken = !into.failed;
    definition_maps_free(&maps);
    definitions_free(&into);
    encoder_free(&out);
    return taken;
}

#define TAKES(...)                                                                             \
    takes((const uint64_t[]){__VA_ARGS__},                                                     \
          sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* Parent, kind, name, group, function and call site of a sound root and a function below it. */
#define ROOT     0, 3, 1, 0, 0, 0, 0, 0
#define FUNCTION 1, 0, 0, 0, 1, 16, 1, 5

static void test_what_cannot_be_is_refused(void)
{
    OK(TAKES(0, 0, 2, ROOT, FUNCTION), "a root and a function");
    OK(!TAKES(0, 0, 2, ROOT, ROOT), "a second root");
    OK(!TAKES(0, 0, 1, FUNCTION), "no root");
    OK(!TAKES(0, 0, 2, ROOT, 2, 0, 0, 0, 1, 16, 1, 5), "a node that is its own parent");
    OK(!TAKES(0, 0, 2, ROOT, 1, 4, 1, 0, 0, 0, 1, 5), "an unknown kind");
    OK(!TAKES(0, 0, 2, ROOT, 1, 1, 0, 0, 0, 0, 1, 5), "an MPI function without a name");
    OK(!TAKES(0, 0, 2, ROOT, 1, 1, 2, 0, 0, 0, 1, 5), "a name that is not there");
    OK(!TAKES(1, 1, 1, 0, 1, ROOT), "a phase of a name that is not there");
    OK(!TAKES(0, 1, 1, 1, ROOT), "a counter of a name that is not there");
    OK(!TAKES(0, 0, UINT64_C(1) << 33, ROOT), "more nodes than there can be");
}

int main(void)
{
    test_what_cannot_be_is_refused();
    test_a_round_trip_changes_nothing();
    test_the_order_of_merging_does_not_matter();
    test_cut_messages_are_recognised();
    test_what_is_no_call_tree_is_refused();
    test_phases_without_names_are_refused();
    test_damaged_messages_do_no_harm();
    return tap_done();
}
