/* Loops that were found: how many passes they have on all ranks, and what is offered for them.
 */
#include "query/found_loops.h"

#include "base/base.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

enum { PROGRAM, MAIN, SOLVE, SUM, SEND, NODES };
enum { RANKS = 2, FACTS = 10, LOOPS = 2, NAME_BYTES = 24 };

/* A run that is made up: main calls solve, which calls MPI_Allreduce and MPI_Send. */
struct made {
    struct summary summary;
    struct metric_entry metric;
    struct region_entry regions[NODES];
    struct call_node nodes[NODES];
    struct location locations[RANKS];
    struct cell visits[RANKS][NODES];
    struct cost_fact facts[RANKS][LOOPS * FACTS];
    char names[LOOPS * FACTS][NAME_BYTES];
};

static void make_tree(struct made *made)
{
    static const char *const names[NODES] = {"program", "main", "solve", "MPI_Allreduce",
                                             "MPI_Send"};
    static const uint32_t parents[NODES] = {SUMMARY_NONE, PROGRAM, MAIN, SOLVE, SOLVE};
    for (uint32_t i = 0; i < NODES; i++) {
        made->regions[i].name = names[i];
        made->nodes[i].parent = parents[i];
        made->nodes[i].region = i;
    }
}

static void make(struct made *made)
{
    *made = (struct made){.metric = {"visits", SUMMARY_NONE, "occ", 0, 1, ""}};
    make_tree(made);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        struct location *location = &made->locations[rank];
        *location = (struct location){.rank = rank,
                                      .wall_ns = 1000,
                                      .whole = {.cells = made->visits[rank], .count = NODES},
                                      .costs = made->facts[rank]};
        for (uint32_t i = 0; i < NODES; i++)
            made->visits[rank][i] = (struct cell){.node = i, .metric = 0, .value = 1};
    }
    made->summary = (struct summary){.metrics = &made->metric,
                                     .metric_count = 1,
                                     .regions = made->regions,
                                     .region_count = NODES,
                                     .nodes = made->nodes,
                                     .node_count = NODES,
                                     .locations = made->locations,
                                     .location_count = RANKS};
}

static void add_loop(struct made *made, uint32_t rank, unsigned number,
                     const struct found_loop *loop)
{
    const struct {
        const char *name;
        uint64_t value;
    } facts[FACTS] = {{"border", loop->border}, {"function", loop->function},
                      {"offset", loop->offset}, {"phase", loop->phase},
                      {"passes", loop->passes}, {"time_ns", loop->time_ns},
                      {"around", loop->around}, {"certain", loop->certain},
                      {"partly", loop->partly}, {"absent", loop->absent}};
    struct location *location = &made->locations[rank];
    for (size_t i = 0; i < FACTS; i++) {
        char *name = made->names[number * FACTS + i];
        snprintf(name, NAME_BYTES, "loop.%u.%s", number, facts[i].name);
        location->costs[location->cost_count++] = (struct cost_fact){name, facts[i].value};
    }
}

/* A loop in solve, which begins with its reduction; OFFSET is 0 if the code was not read. */
static struct found_loop reduction(uint64_t offset, uint64_t passes)
{
    return (struct found_loop){.border = SUM,
                               .function = SOLVE,
                               .offset = offset,
                               .phase = 1,
                               .passes = passes,
                               .time_ns = 500,
                               .certain = offset > 0};
}

static void check_text(struct text *text, const char *wanted, const char *what)
{
    OK(strcmp(text_string(text), wanted) == 0, "%s: \"%s\", is \"%s\"", what, wanted,
       text_string(text));
    text_free(text);
}

static void check_passes(const struct found_loop *loop, const char *wanted, const char *what)
{
    struct text text = {0};
    found_loop_add_passes(loop, &text);
    check_text(&text, wanted, what);
}

/* What stands beside loop NUMBER: its setting, and what is said of the iterations it gives. */
static void check_offer(const struct made *made, const struct found_loops *found,
                        unsigned number, const char *wanted, const char *what)
{
    struct text text = {0};
    const struct found_loop *loop = &found->loops[number];
    found_loop_add_iterations(&made->summary, loop, &text);
    text_add(&text, " ");
    if (!found_loop_add_setting(&made->summary, found, number, &text))
        text_cut(&text, 0);
    check_text(&text, wanted, what);
}

static void test_ranks_that_differ(void)
{
    struct made made;
    struct found_loop here = reduction(0x40, 16), there = reduction(0x40, 26);
    make(&made);
    add_loop(&made, 0, 0, &here);
    add_loop(&made, 1, 0, &there);
    struct found_loops found = found_loops_read(&made.summary);
    NEED(found.count == 1);
    EQ_INT(found.loops[0].passes, 16, "the first rank's own number stays");
    check_passes(&found.loops[0], "16 to 26 passes", "the range over ranks");
    check_offer(&made, &found, 0, " TSPROF_ITERATION='loop:solve+0x40'",
                "what is offered gives the largest");
    there.partly = 1;
    make(&made);
    add_loop(&made, 0, 0, &here);
    add_loop(&made, 1, 0, &there);
    found = found_loops_read(&made.summary);
    check_passes(&found.loops[0], "at least 16 to 26 passes", "not all of a rank were seen");
}

static void test_ranks_that_agree(void)
{
    struct made made;
    const struct found_loop loop = reduction(0x40, 99), other = reduction(0x80, 12);
    make(&made);
    add_loop(&made, 0, 0, &loop);
    add_loop(&made, 1, 0, &loop);
    add_loop(&made, 1, 1, &other);
    const struct found_loops found = found_loops_read(&made.summary);
    EQ_INT(found.count, 1, "the loops of the first rank");
    check_passes(&found.loops[0], "99 passes", "another loop of the function does not count");
}

static void test_calls_that_are_named(void)
{
    struct made made;
    const struct found_loop loop = reduction(0, 199);
    make(&made);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        add_loop(&made, rank, 0, &loop);
        made.visits[rank][SUM].value = 200;
    }
    const struct found_loops found = found_loops_read(&made.summary);
    check_passes(&found.loops[0], "199 passes", "the first pass is missing");
    check_offer(&made, &found, 0, " 200 iterations with TSPROF_ITERATION='call:MPI_Allreduce'",
                "but begins with the call that is named, too");
}

static void test_one_border_of_two(void)
{
    struct made made;
    const struct found_loop loop = reduction(0, 199), same = reduction(0, 20),
                            read = reduction(0x40, 199), inner = reduction(0x80, 1999);
    make(&made);
    add_loop(&made, 0, 0, &loop);
    add_loop(&made, 0, 1, &same);
    struct found_loops found = found_loops_read(&made.summary);
    EQ_INT(found.count, 2, "two loops that begin with the same call");
    for (unsigned i = 0; i < 2; i++)
        check_offer(&made, &found, i, "", "nothing is offered for either");
    make(&made);
    add_loop(&made, 0, 0, &read);
    add_loop(&made, 0, 1, &inner);
    found = found_loops_read(&made.summary);
    check_offer(&made, &found, 0, " TSPROF_ITERATION='loop:solve+0x40'",
                "the code tells them apart");
    check_offer(&made, &found, 1, " TSPROF_ITERATION='loop:solve+0x80'", "both of them");
    make(&made);
    add_loop(&made, 0, 0, &read);
    add_loop(&made, 0, 1, &read);
    found = found_loops_read(&made.summary);
    check_offer(&made, &found, 0, "", "one loop that was found twice is not offered twice");
}

static void test_border(void)
{
    struct made made;
    struct text text = {0};
    const struct found_loop loop = reduction(0x40, 99);
    make(&made);
    made.regions[SOLVE].name = "double vector::dot<grid<int, 3> >(grid<int, 3> const&)";
    found_loop_add_border(&made.summary, &loop, &text);
    check_text(&text, "border before MPI_Allreduce in vector::dot", "names of C++ are brief");
}

int main(void)
{
    test_border();
    test_ranks_that_differ();
    test_ranks_that_agree();
    test_calls_that_are_named();
    test_one_border_of_two();
    return tap_done();
}
