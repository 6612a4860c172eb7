/* What each kind of change does. */
#include "tap.h"
#include "whatif/model.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct whatif_network network = {20, 10, 10, 0, WHATIF_NO_SIZE, WHATIF_NO_SIZE};

/* Two iterations that end in a barrier: 0 works 300 and 100, 1 works 100 and 200. */
static const struct script_call calls[] = {{0, BARRIER, 300, 310, NOBODY, .instance = 1},
                                           {1, BARRIER, 100, 310, NOBODY, .instance = 1},
                                           {2, BARRIER, 100, 310, NOBODY, .instance = 1},
                                           {3, BARRIER, 100, 310, NOBODY, .instance = 1},
                                           {0, BARRIER, 411, 521, NOBODY},
                                           {1, BARRIER, 511, 521, NOBODY},
                                           {2, BARRIER, 411, 521, NOBODY},
                                           {3, BARRIER, 411, 521, NOBODY}};
static const struct script_stay stays[] = {{0, WORK, 0, 300},       {1, WORK, 0, 100},
                                           {0, WORK, 311, 411},     {1, WORK, 311, 511},
                                           {2, OTHER_WORK, 0, 100}, {3, OTHER_WORK, 0, 100}};
static const struct script script = {calls, COUNT(calls), stays, COUNT(stays), 600, 4};

static struct model make(void)
{
    return model_make(&script, &network);
}

static void test_balance(void)
{
    struct model model = make();
    bool good;
    EQ_INT(whatif_balance(model.changes, model_paths(&model, WORK), &good), 2,
           "two steps are balanced");
    OK(good, "there was memory enough");
    /* 200 and 150 instead of 300 and 200. */
    EQ_INT(model_ns(&model), 600 - 150, "all take the mean time in each step");
    model_free(&model);
}

static void test_never_wait(void)
{
    struct model model = make();
    EQ_INT(
        whatif_never_wait(model.changes, model_paths(&model, BARRIER), WHATIF_NONE, UINT64_MAX),
        8, "all calls");
    EQ_INT(model_ns(&model), 300 + 10 + 100 + 10 + 80,
           "nobody waits: the first one has most to do");
    model_free(&model);
    model = make();
    EQ_INT(whatif_never_wait(model.changes, model_paths(&model, BARRIER), 1, 0), 1,
           "one call of one thread");
    /* 1 leaves the first barrier at 110 and is at the second at 310: 0 is now last, at 410. */
    EQ_INT(model_ns(&model), 600 - 100, "its partner comes in time");
    EQ_INT(whatif_never_wait(model.changes, model_paths(&model, BARRIER), 1, 7), 0,
           "there is no eighth call");
    model_free(&model);
}

static void test_remove(void)
{
    struct model model = make();
    whatif_remove(model.changes, model_paths(&model, BARRIER));
    EQ_INT(model_ns(&model), 300 + 100 + 80, "calls that are removed take nothing");
    whatif_remove(model.changes, model_paths(&model, WORK));
    EQ_INT(model_ns(&model), 280, "nor does work: 2 had 280 outside of both");
    model_free(&model);
}

static void test_scale_call(void)
{
    struct model model = make();
    whatif_scale(model.changes, model_paths(&model, BARRIER), 3);
    EQ_INT(model_ns(&model), 600 + 2 * 20, "a slower barrier takes longer after the last");
    model_free(&model);
}

static void test_together(void)
{
    struct model model = make();
    bool good;
    whatif_scale(model.changes, model_paths(&model, WORK), 2);
    whatif_balance(model.changes, model_paths(&model, WORK), &good);
    EQ_INT(model_ns(&model), 400 + 10 + 300 + 10 + 80, "changes add up");
    model_free(&model);
}

static void test_bytes(void)
{
    static const struct script_call messages[] = {{0, SEND, 100, 110, 2, .bytes = 301},
                                                  {2, RECV, 50, 440, 0, .bytes = 301},
                                                  {1, SEND, 100, 110, 3, .bytes = 101},
                                                  {3, RECV, 50, 240, 1, .bytes = 101}};
    static const struct whatif_network slow = {20, 10, 10, 1, WHATIF_NO_SIZE, WHATIF_NO_SIZE};
    struct model model =
        model_make(&(struct script){messages, COUNT(messages), NULL, 0, 500, 4}, &slow);
    bool good;
    EQ_INT(model_ns(&model), 500, "300 bytes take 200 longer than 100");
    EQ_INT(whatif_balance_bytes(model.changes, model_paths(&model, MAIN), &good), 1,
           "one step");
    EQ_INT(model_ns(&model), 600, "201 bytes each: the other receiver is later now");
    model_free(&model);
}

static void test_iterations(void)
{
    static const uint32_t outer[] = {WHATIF_NONE};
    struct model model = make();
    struct whatif_outcome outcome;
    whatif_measured(model.whatif, outer, 1, &outcome);
    EQ_INT(outcome.iterations[0], 210, "of an iteration only the events in it are known here");
    whatif_outcome_free(&outcome);
    whatif_scale(model.changes, model_paths(&model, WORK), 0.5);
    whatif_predict(model.whatif, model.changes, outer, 1, &outcome);
    EQ_INT(outcome.iterations[0], 110, "who comes at 50 waits until 150, and leaves at 160");
    whatif_outcome_free(&outcome);
    model_free(&model);
}

static void test_moved(void)
{
    struct model model = make();
    struct whatif_outcome outcome;
    size_t cursor = 0;
    whatif_scale(model.changes, model_paths(&model, WORK), 0.5);
    whatif_predict(model.whatif, model.changes, NULL, 0, &outcome);
    EQ_INT(whatif_moved(model.whatif, model.changes, 0, 100, &cursor), 50, "within work");
    EQ_INT(whatif_moved(model.whatif, model.changes, 0, 300, &cursor), 150, "at its end");
    EQ_INT(whatif_moved(model.whatif, model.changes, 0, 310, &cursor), 160, "after a call");
    EQ_INT(whatif_moved(model.whatif, model.changes, 0, 600, &cursor), 350, "at the end");
    whatif_outcome_free(&outcome);
    model_free(&model);
}

static void test_bound(void)
{
    struct model model = make();
    struct whatif_breakdown parts[SCRIPT_PROCESSES];
    struct whatif_outcome outcome;
    whatif_predict(model.whatif, NULL, NULL, 0, &outcome);
    whatif_outcome_free(&outcome);
    whatif_break_down(model.whatif, model_paths(&model, MAIN), parts);
    EQ_INT(parts[0].computation_ns, 480, "computation");
    EQ_INT(parts[0].wait_ns, 100, "waiting");
    EQ_INT(parts[0].transfer_ns, 20, "the rest of the calls");
    EQ_INT(whatif_bound(parts, 4, (struct whatif_bound){0}), 600, "as it was");
    EQ_INT(whatif_bound(parts, 4, (struct whatif_bound){.no_wait = true}), 500, "no waits");
    EQ_INT(whatif_bound(parts, 4, (struct whatif_bound){.no_wait = true, .balance = true}),
           20 + (480 + 380 + 280 + 280) / 4, "and all have as much to do");
    model_free(&model);
}

int main(void)
{
    test_balance();
    test_never_wait();
    test_remove();
    test_scale_call();
    test_together();
    test_bytes();
    test_iterations();
    test_moved();
    test_bound();
    return tap_done();
}
