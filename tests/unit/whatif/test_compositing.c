/*
 * Binary-swap compositing, as the paper has it (section 5.2, figure 6 and table 3): in each of
 * two stages processes exchange halves of their images in pairs, and then compose, which takes
 * some longer than others.  Times are made up; what is compared is which question gains more.
 */
#include "tap.h"
#include "whatif/model.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum { STAGES = 2, GAP = 1, SPLIT = 20, SEND_NS = 10, FLIGHT_NS = 20 };

static const struct whatif_network network = {FLIGHT_NS, SEND_NS,        SEND_NS,
                                              0,         WHATIF_NO_SIZE, WHATIF_NO_SIZE};

/* How long each composes. */
static const uint64_t compose[STAGES][SCRIPT_PROCESSES] = {{100, 140, 120, 160},
                                                           {100, 400, 120, 700}};
static const enum script_region stages[STAGES] = {WORK, OTHER_WORK};

static struct script_call calls[2 * STAGES * SCRIPT_PROCESSES];
static struct script_stay stays[STAGES * SCRIPT_PROCESSES];

/* A stage from when each process is ready, until it is. */
static void run_stage(int stage, uint64_t ready[SCRIPT_PROCESSES], size_t *count)
{
    uint64_t sent[SCRIPT_PROCESSES];
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++) {
        const uint32_t peer = i ^ 1u << stage;
        sent[i] = ready[i] + SPLIT;
        calls[(*count)++] =
            (struct script_call){i, SEND, sent[i], sent[i] + SEND_NS, (int)peer};
    }
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++) {
        const uint32_t peer = i ^ 1u << stage;
        const uint64_t posted = sent[i] + SEND_NS + GAP,
                       there = sent[peer] + SEND_NS + FLIGHT_NS;
        const uint64_t received = (there > posted ? there : posted) + SEND_NS;
        calls[(*count)++] = (struct script_call){i, RECV, posted, received, (int)peer};
        stays[stage * SCRIPT_PROCESSES + (int)i] = (struct script_stay){
            i, stages[stage], received + GAP, received + GAP + compose[stage][i]};
        ready[i] = received + 2 * GAP + compose[stage][i];
    }
}

static struct model make(void)
{
    static uint64_t ready[SCRIPT_PROCESSES];
    size_t count = 0;
    for (int i = 0; i < SCRIPT_PROCESSES; i++)
        ready[i] = 0;
    for (int i = 0; i < STAGES; i++)
        run_stage(i, ready, &count);
    return model_make(&(struct script){.calls = calls,
                                       .call_count = count,
                                       .stays = stays,
                                       .stay_count = COUNT(stays),
                                       .processes = SCRIPT_PROCESSES,
                                       .ends = ready},
                      &network);
}

/* The time with the stages that are named balanced; a stage that is not is MAIN. */
static uint64_t balanced(enum script_region one, enum script_region other)
{
    struct model model = make();
    bool good;
    if (one != MAIN)
        whatif_balance(model.changes, model_paths(&model, one), &good);
    if (other != MAIN)
        whatif_balance(model.changes, model_paths(&model, other), &good);
    const uint64_t ns = model_ns(&model);
    model_free(&model);
    return ns;
}

static void test_stages(void)
{
    const uint64_t none = balanced(MAIN, MAIN), first = balanced(WORK, MAIN),
                   second = balanced(OTHER_WORK, MAIN), both = balanced(WORK, OTHER_WORK);
    const uint64_t fixed = 2 * (SPLIT + SEND_NS + FLIGHT_NS + SEND_NS + 2 * GAP);
    /* When it has composed, the other's half has been there for long. */
    const uint64_t in_time = FLIGHT_NS - GAP;
    EQ_INT(none, 160 + 700 + fixed - in_time, "the slowest in both stages decides");
    EQ_INT(first, 130 + 700 + fixed, "balancing the first stage gains the little that it has");
    EQ_INT(second, 160 + 330 + fixed, "balancing the second gains most");
    EQ_INT(both, 130 + 330 + fixed, "and both gain what each of them does");
}

static void test_bounds(void)
{
    struct model model = make();
    struct whatif_breakdown parts[SCRIPT_PROCESSES];
    struct whatif_outcome outcome;
    whatif_predict(model.whatif, NULL, NULL, 0, &outcome);
    whatif_outcome_free(&outcome);
    whatif_break_down(model.whatif, model_paths(&model, MAIN), parts);
    const uint64_t q1 = whatif_bound(parts, 4, (struct whatif_bound){.no_wait = true}),
                   all = whatif_bound(parts, 4,
                                      (struct whatif_bound){.no_wait = true, .balance = true});
    OK(q1 > 160 + 700 && q1 < 160 + 700 + 124, "without waits the slowest alone is left");
    OK(all < q1 && all <= balanced(WORK, OTHER_WORK),
       "both together are a bound of what balancing all stages can reach");
    OK(balanced(WORK, OTHER_WORK) - all <= 2 * (FLIGHT_NS + 2 * GAP),
       "which reaches it, but for the time that messages are on their way");
    model_free(&model);
}

int main(void)
{
    test_stages();
    test_bounds();
    return tap_done();
}
