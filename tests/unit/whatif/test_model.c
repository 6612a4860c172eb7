/* What LogGPS says of small programs, worked out by hand. */
#include "tap.h"
#include "whatif/model.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define SCRIPT(calls, stays, end, processes)                                                   \
    &(struct script)                                                                           \
    {                                                                                          \
        calls, COUNT(calls), stays, COUNT(stays), end, processes                               \
    }

/* L, o, g, G, S, s. */
static const struct whatif_network network = {20, 10, 10, 1, 1000, WHATIF_NO_SIZE};

/* An eager message of 11 bytes: 10 to send, 10 for the bytes, 20 on the way, 10 to receive. */
static const struct script_call eager[] = {{0, SEND, 400, 410, 1, .bytes = 11},
                                           {1, RECV, 100, 450, 0, .bytes = 11}};
static const struct script_stay eager_work[] = {{0, WORK, 0, 400}, {1, OTHER_WORK, 451, 901}};

static void test_eager(void)
{
    struct model model = model_make(SCRIPT(eager, eager_work, 1000, 2), &network);
    EQ_INT(model_ns(&model), 1000, "an unchanged run takes as long as it took");
    whatif_scale(model.changes, model_paths(&model, WORK), 0.5);
    /* 1 sends at 200, receives until 250 and has 550 more to do; 0 has 590. */
    EQ_INT(model_ns(&model), 800, "a message comes earlier if its sender is faster");
    model_free(&model);
}

static void test_network(void)
{
    struct model model = model_make(SCRIPT(eager, eager_work, 1000, 2), &network);
    struct whatif_network other = network;
    other.latency_ns = 120;
    whatif_use_network(model.changes, &other);
    EQ_INT(model_ns(&model), 1100, "a longer latency delays the receiver");
    other.byte_ns = 3;
    whatif_use_network(model.changes, &other);
    EQ_INT(model_ns(&model), 1120, "so do slower bytes, but for the first");
    other.overhead_ns = 15;
    whatif_use_network(model.changes, &other);
    EQ_INT(model_ns(&model), 1130, "and overheads at both ends");
    other.packet_bytes = 4;
    whatif_use_network(model.changes, &other);
    EQ_INT(model_ns(&model), 1190, "three packets have three of them");
    model_free(&model);
}

static void test_gap(void)
{
    static const struct script_call calls[] = {{0, SEND, 100, 110, 1, .bytes = 1},
                                               {0, SEND, 110, 120, 1, .bytes = 1},
                                               {1, RECV, 50, 140, 0, .bytes = 1},
                                               {1, RECV, 141, 151, 0, .bytes = 1}};
    static const struct script_stay stays[] = {{0, WORK, 0, 100}};
    struct model model = model_make(SCRIPT(calls, stays, 200, 2), &network);
    struct whatif_network other = network;
    EQ_INT(model_ns(&model), 200, "two messages one right after the other");
    other.gap_ns = 70;
    whatif_use_network(model.changes, &other);
    /* On their way at 110 and 180; there at 130 and 200, received at 210; 49 more to do, of
     * which 1 does nothing else. */
    EQ_INT(model_ns(&model), 259, "the second keeps the gap");
    model_free(&model);
}

/* 5 is more than S = 4: the send waits for its receive. */
static void test_synchronous(void)
{
    static const struct whatif_network small = {20, 10, 10, 1, 4, WHATIF_NO_SIZE};
    static const struct script_call calls[] = {{0, SEND, 100, 334, 1, .bytes = 5},
                                               {1, RECV, 300, 364, 0, .bytes = 5}};
    static const struct script_stay stays[] = {{0, WORK, 0, 100}, {1, OTHER_WORK, 0, 300}};
    struct model model = model_make(SCRIPT(calls, stays, 500, 2), &small);
    /* Posted at 300, answered at 310, there at 330, bytes sent at 334; at 354 they have come.
     */
    EQ_INT(model_ns(&model), 500, "as it was");
    whatif_scale(model.changes, model_paths(&model, OTHER_WORK), 1. / 3);
    EQ_INT(model_ns(&model), 330,
           "the receiver comes at 100, but the request only at 130; both end 170 earlier");
    model_free(&model);
}

static void test_becomes_synchronous(void)
{
    static const struct script_call calls[] = {{0, SEND, 100, 110, 1, .bytes = 5},
                                               {1, RECV, 300, 310, 0, .bytes = 5}};
    static const struct script_stay stays[] = {
        {0, WORK, 0, 100}, {1, OTHER_WORK, 0, 300}, {0, WORK, 111, 499}};
    struct model model = model_make(SCRIPT(calls, stays, 500, 2), &network);
    struct whatif_network other = network;
    EQ_INT(model_ns(&model), 500, "nobody waits for a short message's receive");
    other.synchronous_bytes = 4;
    whatif_use_network(model.changes, &other);
    EQ_INT(model_ns(&model), 334 + 390, "if it were long, its sender would");
    model_free(&model);
}

static void test_stuck(void)
{
    static const struct script_call calls[] = {{0, SEND, 100, 110, 1, .bytes = 1},
                                               {0, RECV, 111, 140, 1, .bytes = 1},
                                               {1, SEND, 100, 110, 0, .bytes = 1},
                                               {1, RECV, 111, 140, 0, .bytes = 1}};
    static const struct script_stay stays[] = {{0, WORK, 0, 100}};
    struct model model = model_make(SCRIPT(calls, stays, 500, 2), &network);
    struct whatif_network other = network;
    EQ_INT(model_ns(&model), 500, "two that send to each other first");
    other.synchronous_bytes = 0;
    whatif_use_network(model.changes, &other);
    OK(model_ns(&model) == UINT64_MAX, "would wait for ever if sends waited for receives");
    model_free(&model);
}

/* A receive that was posted before the work overlaps with it. */
static void test_overlap(void)
{
    static const struct script_call calls[] = {{1, IRECV, 0, 10, 0, 1},
                                               {0, SEND, 200, 210, 1, .bytes = 1},
                                               {1, WAIT, 300, 310, 0, 1, .bytes = 1}};
    static const struct script_stay stays[] = {{0, WORK, 0, 200}, {1, OTHER_WORK, 11, 300}};
    struct model model = model_make(SCRIPT(calls, stays, 400, 2), &network);
    whatif_scale(model.changes, model_paths(&model, OTHER_WORK), 0.1);
    /* The work ends at 40; the message is there at 230, received at 240. */
    EQ_INT(model_ns(&model), 400, "the sender takes as long as it did");
    EQ_INT(model_moved(&model, 1, 310), 240, "without the work there is a wait");
    model_free(&model);
}

static void test_operations(void)
{
    static const struct {
        enum script_region region;
        uint64_t ns;
        const char *text;
    } cases[] = {{BARRIER, 500 - 200, "in a barrier all wait for the last"},
                 {ALLREDUCE, 500 - 200, "so they do in a reduction for all"},
                 {BCAST, 500 - 200, "a broadcast waits for its root"},
                 {REDUCE, 500 - 200, "of a reduction the others do not wait"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct script_call calls[] = {{0, cases[i].region, 300, 320, 0},
                                            {1, cases[i].region, 100, 330, 0},
                                            {2, cases[i].region, 100, 330, 0},
                                            {3, cases[i].region, 100, 330, 0}};
        static const struct script_stay stays[] = {{0, WORK, 0, 300}, {1, OTHER_WORK, 0, 100}};
        struct model model = model_make(SCRIPT(calls, stays, 500, 4), &network);
        EQ_INT(model_ns(&model), 500, "%s: as it was", cases[i].text);
        whatif_scale(model.changes, model_paths(&model, WORK), 1. / 3);
        /* A reduction's others had not waited: what they took there remains. */
        EQ_INT(model_ns(&model), cases[i].region == REDUCE ? 500 : cases[i].ns, "%s",
               cases[i].text);
        model_free(&model);
    }
}

/* Trees: 1 passes on what 2 sends, which comes late; 3 stays long without that anybody comes.
 */
static void test_relays(void)
{
    static const struct script_call calls[] = {{0, REDUCE, 100000, 310000, 0},
                                               {1, REDUCE, 100000, 305000, 0},
                                               {2, REDUCE, 300000, 302000, 0},
                                               {3, REDUCE, 100000, 500000, 0}};
    static const struct script_stay stays[] = {{2, WORK, 0, 300000}};
    static const uint64_t ends[] = {310000, 405000, 302000, 500000};
    struct model model = model_make(
        &(struct script){calls, COUNT(calls), stays, COUNT(stays), 500000, 4, ends}, &network);
    EQ_INT(model_ns(&model), 500000, "a tree: as it was");
    whatif_scale(model.changes, model_paths(&model, WORK), 0.5);
    EQ_INT(model_ns(&model), 500000, "who has stayed long after all had come does so again");
    EQ_INT(model_moved(&model, 1, 405000), 255000,
           "who has stayed until another one came leaves earlier if that one is earlier");
    model_free(&model);
}

/* A message that is received before it is sent, as in a run that was predicted without waits;
 * and one that is so by no more than what clocks may be apart. */
static void test_denied(void)
{
    static const struct {
        uint64_t sent_ns, contradictions;
        const char *text;
    } cases[] = {{40000, 1, "what the times deny is not followed"},
                 {10500, 0, "but what clocks may be apart is nothing"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct script_call calls[] = {
            {0, SEND, cases[i].sent_ns, cases[i].sent_ns + 10, 1, .bytes = 11},
            {1, RECV, 9000, 10000, 0, .bytes = 11}};
        static const struct script_stay stays[] = {{1, WORK, 0, 9000}};
        struct model model = model_make(SCRIPT(calls, stays, 50000, 2), &network);
        const struct whatif_facts facts = whatif_facts(model.whatif);
        EQ_INT(facts.contradictions, cases[i].contradictions, "%s", cases[i].text);
        if (facts.contradictions > 0)
            EQ_INT(model_ns(&model), 50000, "so that the run takes as long as it took");
        model_free(&model);
    }
}

static void test_windows(void)
{
    static const struct script_call calls[] = {{1, WIN_POST, 300, 305, 0},
                                               {0, WIN_START, 100, 310, 1},
                                               {0, WIN_COMPLETE, 320, 330, 1},
                                               {1, WIN_WAIT, 310, 340, 0}};
    static const struct script_stay stays[] = {{1, WORK, 0, 300}};
    struct model model = model_make(SCRIPT(calls, stays, 500, 2), &network);
    EQ_INT(model_ns(&model), 500, "an epoch of a window: as it was");
    whatif_scale(model.changes, model_paths(&model, WORK), 0);
    /* Start waits for nobody at 100: 90 later all that follows is 200 earlier. */
    EQ_INT(model_ns(&model), 300, "who starts an access waits for the post");
    model_free(&model);
}

/* The parameters that made the times are found in them. */
static void test_fit(void)
{
    struct script_call calls[64];
    size_t count = 0;
    uint64_t ns = 100;
    for (uint64_t bytes = 1; bytes <= 1 << 14; bytes *= 4) {
        const uint64_t there = ns + 10 + (bytes - 1) + 20 + 10;
        calls[count++] = (struct script_call){0, SEND, ns, ns + 10, 1, .bytes = bytes};
        calls[count++] = (struct script_call){1, RECV, ns - 50, there, 0, .bytes = bytes};
        ns = there + 100;
    }
    /* Longer ones wait: their receiver comes late. */
    for (int i = 0; i < 3; i++) {
        calls[count++] = (struct script_call){0, SEND, ns, ns + 5000, 1, .bytes = 100000};
        calls[count++] =
            (struct script_call){1, RECV, ns + 4000, ns + 200000, 0, .bytes = 100000};
        ns += 300000;
    }
    /* And a short one's sender does not. */
    calls[count++] = (struct script_call){0, SEND, ns, ns + 10, 1, .bytes = 16384};
    calls[count++] = (struct script_call){1, RECV, ns + 40000, ns + 40010, 0, .bytes = 16384};
    const struct script script = {calls, count, NULL, 0, ns + 50000, 2};
    struct model model = model_make(&script, NULL);
    const struct whatif_network found = whatif_network(model.whatif);
    EQ_INT(found.overhead_ns, 10, "o");
    EQ_INT(found.latency_ns, 20, "L");
    EQ_INT(found.byte_ns * 1000, 1000, "G");
    EQ_INT(found.synchronous_bytes, 16384, "S");
    model_free(&model);
}

int main(void)
{
    test_eager();
    test_network();
    test_gap();
    test_synchronous();
    test_becomes_synchronous();
    test_stuck();
    test_overlap();
    test_operations();
    test_relays();
    test_denied();
    test_windows();
    test_fit();
    return tap_done();
}
