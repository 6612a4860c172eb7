/*
 * What processes know of topologies becomes one list, and what is written can be read; hosts
 * are listed once; names are UTF-8.
 */
#include "tap.h"

#include "assemble/hosts.h"
#include "assemble/topologies.h"
#include "common/utf8.h"
#include "file/topology_list.h"

#include <stdlib.h>
#include <string.h>

/* What one process says of one topology, as topology_encode writes it. */
struct said {
    const char *shape;
    size_t shape_size;
    unsigned sequence, member, times;
    const char *name;
    const char *neighbors;
    size_t neighbors_size;
};

#define BYTES(text) text, sizeof(text) - 1

/* A line of 2, not periodic, with ranks 3 and 5; a distributed graph of ranks 0 and 1. */
#define LINE  BYTES("\1\1\3\4\2\1\2\0")
#define GRAPH BYTES("\3\1\0\2\2")

static void encode_part(struct encoder *out, const void *bytes, size_t size)
{
    encode_varint(out, size);
    encode_bytes(out, bytes, size);
}

/* Takes in what one process says; false if it is refused. */
static bool hear(struct topologies *topologies, const struct said *said, size_t count,
                 unsigned lost)
{
    struct encoder out = {0};
    encode_varint(&out, count);
    for (size_t i = 0; i < count; i++) {
        encode_part(&out, said[i].shape, said[i].shape_size);
        encode_varint(&out, said[i].sequence);
        encode_varint(&out, said[i].member == 0);
        encode_varint(&out, said[i].times);
        encode_string(&out, said[i].name);
        encode_varint(&out, said[i].neighbors_size > 0);
        encode_part(&out, said[i].neighbors, said[i].neighbors_size);
    }
    encode_varint(&out, lost);
    encode_varint(&out, 0);
    struct decoder in = {out.bytes, out.size, 0, false};
    bool good = topologies_add(topologies, &in) && in.at == in.size;
    encoder_free(&out);
    return good;
}

/* Writes and reads; the list lives in POOL. */
static struct topology_list written(struct topologies *topologies, struct memory_pool *pool)
{
    struct encoder out = {0};
    struct topology_list list = {0};
    uint64_t index;
    topologies_encode(topologies, &out);
    struct decoder in = {out.bytes, out.size, 0, false};
    const char *fault = topologies_read(&in, pool, &list, &index);
    OK(!fault && !in.failed && in.at == in.size, "what is written can be read%s%s",
       fault ? ": " : "", fault ? fault : "");
    encoder_free(&out);
    return list;
}

static void test_parts_are_put_together(void)
{
    const struct said first[] = {{LINE, 0, 0, 1, "", BYTES("")},
                                 {GRAPH, 0, 1, 1, "", BYTES("\1\1\1\0\7\0")}};
    const struct said second[] = {{GRAPH, 0, 0, 1, "ring", BYTES("\0\1\0\1\1\7")},
                                  {LINE, 0, 1, 2, "pair", BYTES("")}};
    struct topologies topologies = {0};
    struct memory_pool pool = {0};
    OK(hear(&topologies, first, 2, 0) && hear(&topologies, second, 2, 5), "both are heard");
    struct topology_list list = written(&topologies, &pool);
    EQ_INT(list.count, 2, "each topology once");
    EQ_INT(list.left_out, 5, "what one process has lost is told");
    const struct topology *line = &list.items[0], *graph = &list.items[1];
    OK(line->kind == TOPOLOGY_CARTESIAN && !strcmp(line->name, "pair") && line->times == 2,
       "a name that only one process knows is the topology's");
    OK(line->members == 2 && topology_rank(line, 0) == 3 && topology_rank(line, 1) == 5,
       "members by their ranks");
    OK(topology_coordinate(line, 1, 0) == 1 && !line->dimensions[0].periodic, "coordinates");
    OK(graph->neighborhood_count == 2 && graph->neighborhoods[0].member == 1 &&
           graph->neighborhoods[0].source_count == 1 &&
           graph->neighborhoods[0].sources[0].weight == 7 &&
           graph->neighborhoods[1].destination_count == 1,
       "each member's neighbours, with weights");
    topologies_free(&topologies);
    memory_pool_free(&pool);
}

static void test_what_is_alike_is_joined(void)
{
    const struct said said[] = {{GRAPH, 0, 0, 1, "ring", BYTES("\0\0\0\1\1")},
                                {GRAPH, 1, 0, 1, "ring", BYTES("\0\0\0\1\1")},
                                {GRAPH, 2, 0, 1, "ring", BYTES("\0\0\1\1\0")},
                                {GRAPH, 3, 0, 9, "other", BYTES("\0\0\0\1\1")},
                                {GRAPH, 4, 0, 3, "ring", BYTES("\0\0\0\1\1")}};
    struct topologies topologies = {0};
    struct memory_pool pool = {0};
    OK(hear(&topologies, said, 5, 0), "five of one shape");
    struct topology_list list = written(&topologies, &pool);
    EQ_INT(list.count, 3, "neighbours and names tell them apart, and nothing else");
    OK(list.items[0].times == 5 && list.items[1].times == 1 && list.items[2].times == 9,
       "how many there were");
    topologies_free(&topologies);
    memory_pool_free(&pool);
}

static void test_more_than_there_is_room_for(void)
{
    enum { MANY = 6000 };
    struct topologies topologies = {0};
    struct memory_pool pool = {0};
    bool heard = true;
    for (unsigned member = 0; member < 2; member++)
        for (unsigned i = 0; i < MANY; i++) {
            const struct said said = {LINE, i, member, 1, i & 1 ? "odd" : "even", BYTES("")};
            heard &= hear(&topologies, &said, 1, 0);
        }
    OK(heard, "every one is heard");
    size_t kept = topologies.count;
    struct topology_list list = written(&topologies, &pool);
    OK(kept < MANY && list.left_out == MANY - kept, "what is left out is counted once");
    EQ_INT(list.count, 2, "the rest is joined");
    topologies_free(&topologies);
    memory_pool_free(&pool);
}

static void test_damaged_sections_are_refused(void)
{
    static const struct {
        const char *what, *bytes;
        size_t size;
    } cases[] = {
        {"kind 0", BYTES("\1\0\1\0\1\0\2\1\0\0")},
        {"kind 4", BYTES("\1\0\1\4\1\0\2\1\0\0")},
        {"times 0", BYTES("\1\0\0\2\1\0\2\1\0\0")},
        {"an empty run", BYTES("\1\0\1\2\1\0\2\0\0\0")},
        {"a run below rank 0", BYTES("\1\0\1\2\1\0\1\2\0\0")},
        {"a run beyond all ranks", BYTES("\1\0\1\2\1\0\2\377\377\377\377\17\0\0")},
        {"a step beyond 2^63",
         BYTES("\1\0\1\2\1\0\376\377\377\377\377\377\377\377\377\1\3\0\0")},
        {"members that are all of one rank", BYTES("\1\0\1\2\1\3\0\2\0\0")},
        {"a grid of another size", BYTES("\1\0\1\1\1\0\2\2\1\3\0\0\0")},
        {"a grid of size 0", BYTES("\1\0\1\1\1\0\2\2\1\0\0\0\0")},
        {"a neighbour that is no member", BYTES("\1\0\1\2\1\0\2\2\1\0\1\2\0")},
        {"a neighbourhood of no member", BYTES("\1\0\1\2\1\0\2\2\1\2\1\0\0")},
        {"a name with a zero byte", BYTES("\1\1\0\1\2\1\0\2\2\0\0")},
        {"more than there is", BYTES("\177\0")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct memory_pool pool = {0};
        struct topology_list list = {0};
        struct decoder in = {(const unsigned char *)cases[i].bytes, cases[i].size, 0, false};
        uint64_t index = 99;
        const char *fault = topologies_read(&in, &pool, &list, &index);
        OK((fault && index == 0) || in.failed, "%s is refused", cases[i].what);
        memory_pool_free(&pool);
    }
}

/* What SYSTEM says of host NUMBER, with one fact. */
static void encode_host(unsigned number, struct encoder *out)
{
    char name[32];
    snprintf(name, sizeof name, "node%u", number % 100);
    encode_string(out, name);
    encode_varint(out, 1);
    encode_string(out, "processors");
    encode_string(out, number < 200 ? "2" : "4");
}

static uint32_t add_host(struct hosts *hosts, unsigned number)
{
    struct encoder text = {0};
    encode_host(number, &text);
    uint32_t added = hosts_add(hosts, text.bytes, text.size);
    encoder_free(&text);
    return added;
}

/* Parts come from files, too. */
static void test_parts_that_are_no_topologies_are_refused(void)
{
    static const struct {
        const char *what;
        struct said said;
    } cases[] = {
        {"kind 0", {BYTES("\0\1\0\2\2"), 0, 0, 1, "", BYTES("")}},
        {"nothing", {BYTES(""), 0, 0, 1, "", BYTES("")}},
        {"half a shape", {BYTES("\3\1\0\2"), 0, 0, 1, "", BYTES("")}},
        {"more than a shape", {BYTES("\3\1\0\2\2\0"), 0, 0, 1, "", BYTES("")}},
        {"members that are all of one rank", {BYTES("\2\1\3\0\2"), 0, 0, 1, "", BYTES("")}},
        {"members below rank 0", {BYTES("\2\1\0\1\2"), 0, 0, 1, "", BYTES("")}},
        {"a grid of another size", {BYTES("\1\1\0\2\2\1\3\0"), 0, 0, 1, "", BYTES("")}},
        {"a neighbour that is no member", {GRAPH, 0, 0, 1, "", BYTES("\0\0\0\1\2")}},
        {"a neighbourhood of no member", {GRAPH, 0, 0, 1, "", BYTES("\2\0\0\1\1")}},
        {"half a neighbourhood", {GRAPH, 0, 0, 1, "", BYTES("\0\0\0\1")}},
        {"two neighbourhoods as one", {GRAPH, 0, 0, 1, "", BYTES("\0\0\0\0\0\0\0\0")}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct topologies topologies = {0};
        OK(!hear(&topologies, &cases[i].said, 1, 0), "%s", cases[i].what);
        topologies_free(&topologies);
    }
}

/* Ranks 5, 3 and 1, then two thousand million from 10 on. */
static void test_members_are_found_by_their_ranks(void)
{
    static const uint32_t ranks[] = {1, 2, 3, 12, 2000000000};
    static const struct topology_member wanted[] = {
        {1, 3}, {2, 1}, {5, 12}, {1999999993, 2000000000}};
    struct encoder out = {0};
    struct memory_pool pool = {0};
    struct topology_list list = {0};
    uint64_t index;
    size_t found;
    encode_bytes(&out, "\1\0\1\2\2\5\3\3\12\2", 10);
    encode_varint(&out, 2000000000);
    encode_bytes(&out, "\0\0", 2);
    struct decoder in = {out.bytes, out.size, 0, false};
    OK(!topologies_read(&in, &pool, &list, &index) && in.at == in.size, "the section is read");
    struct topology_member *members = topology_members(&list.items[0], ranks, 5, &found);
    EQ_INT(found, 4, "those that there are");
    for (size_t i = 0; i < 4 && i < found; i++)
        OK(members[i].member == wanted[i].member && members[i].rank == wanted[i].rank &&
               topology_rank(&list.items[0], wanted[i].member) == wanted[i].rank,
           "rank %u", members[i].rank);
    free(members);
    encoder_free(&out);
    memory_pool_free(&pool);
}

static void test_hosts_are_listed_once(void)
{
    struct hosts hosts = {0};
    struct encoder out = {0};
    bool right = true;
    for (unsigned i = 0; i < 200; i++)
        right &= add_host(&hosts, i) == i % 100;
    OK(right, "a host that comes again has the number that it had");
    EQ_INT(add_host(&hosts, 200), 100, "with other facts it is another one");
    hosts_encode(&hosts, &out);
    struct decoder in = {out.bytes, out.size, 0, false};
    EQ_INT(decode_varint(&in), 101, "hosts in the list");
    for (unsigned i = 0; i < 101; i++) {
        struct encoder text = {0};
        encode_host(i < 100 ? i : 200, &text);
        right &=
            in.size - in.at >= text.size && !memcmp(in.bytes + in.at, text.bytes, text.size);
        in.at += text.size;
        encoder_free(&text);
    }
    OK(right && in.at == in.size, "in their order");
    encoder_free(&out);
    hosts_free(&hosts);
}

static void test_hosts_are_united(void)
{
    struct hosts all = {0}, others = {0};
    struct encoder message = {0};
    uint32_t *map, count;
    for (unsigned i = 0; i < 60; i++)
        add_host(&all, i);
    for (unsigned i = 40; i < 90; i++)
        add_host(&others, i);
    hosts_encode_message(&others, &message);
    struct decoder in = {message.bytes, message.size, 0, false};
    bool right = hosts_merge(&all, &in, &map, &count) && in.at == in.size && count == 50;
    for (unsigned i = 0; right && i < 50; i++)
        right = map[i] == 40 + i;
    OK(right && all.texts.count == 90, "the others' have their numbers among all");
    free(map);
    unsigned accepted = 0;
    for (size_t size = 0; size < message.size; size++) {
        struct hosts none = {0};
        struct decoder cut = {message.bytes, size, 0, false};
        accepted += hosts_merge(&none, &cut, &map, &count);
        free(map);
        hosts_free(&none);
    }
    EQ_INT(accepted, 0, "%zu ways to cut a message", message.size);
    struct decoder bad = {(const unsigned char *)BYTES("\1\3\1h\1"), 0, false};
    OK(!hosts_merge(&all, &bad, &map, &count), "what is no host is refused");
    free(map);
    encoder_free(&message);
    hosts_free(&all);
    hosts_free(&others);
}

/* What some processes said goes up a tree; the rest is heard at its root. */
static void test_parts_are_put_together_in_a_tree(void)
{
    const struct said first[] = {{LINE, 0, 0, 1, "", BYTES("")},
                                 {GRAPH, 0, 1, 1, "", BYTES("\1\1\1\0\7\0")}};
    const struct said second[] = {{GRAPH, 0, 0, 1, "ring", BYTES("\0\1\0\1\1\7")},
                                  {LINE, 0, 1, 2, "pair", BYTES("")}};
    struct topologies flat = {0}, root = {0}, branch = {0};
    struct encoder message = {0}, wanted = {0}, got = {0};
    hear(&flat, first, 2, 3);
    hear(&flat, second, 2, 5);
    hear(&root, first, 2, 3);
    hear(&branch, second, 2, 5);
    topologies_encode_message(&branch, &message);
    struct decoder in = {message.bytes, message.size, 0, false};
    OK(topologies_add(&root, &in) && in.at == in.size, "what was united is taken in");
    topologies_encode(&flat, &wanted);
    topologies_encode(&root, &got);
    OK(wanted.size == got.size && !memcmp(wanted.bytes, got.bytes, got.size),
       "it comes to the same as from each process");
    encoder_free(&message);
    encoder_free(&wanted);
    encoder_free(&got);
    topologies_free(&flat);
    topologies_free(&root);
    topologies_free(&branch);
}

static void test_names_are_utf8(void)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"plain", "plain"},
        {"", ""},
        {"caf\303\251", "caf\303\251"},
        {"caf\351", "caf?"},
        {"\303\251 \351", "?? ?"},
        {"\355\240\200", "???"},        /* half of a surrogate pair */
        {"\300\257", "??"},             /* longer than it need be */
        {"1234567\303\251", "1234567"}, /* cut before a character that does not fit */
        {"123456\303\251", "123456\303\251"},
        {"12345678901234", "12345678"},
        {"\360\237\230\200!", "\360\237\230\200!"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char to[9];
        utf8_copy(to, sizeof to, cases[i].from);
        OK(!strcmp(to, cases[i].to), "case %zu: \"%s\"", i, to);
    }
}

int main(void)
{
    test_parts_are_put_together();
    test_what_is_alike_is_joined();
    test_more_than_there_is_room_for();
    test_damaged_sections_are_refused();
    test_parts_that_are_no_topologies_are_refused();
    test_members_are_found_by_their_ranks();
    test_hosts_are_listed_once();
    test_hosts_are_united();
    test_parts_are_put_together_in_a_tree();
    test_names_are_utf8();
    return tap_done();
}
