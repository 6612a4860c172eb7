/* Searches predict what a whole simulation does, with less of it; domino paths. */
#include "tap.h"
#include "whatif/model.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct whatif_network network = {20, 10, 10, 1, 100, WHATIF_NO_SIZE};

enum { STEPS = 40, CALLS_MOST = 900 };

struct program {
    struct script_call calls[CALLS_MOST];
    struct script_stay stays[CALLS_MOST];
    size_t call_count, stay_count;
    uint64_t ns[SCRIPT_PROCESSES]; /* how far each is */
    unsigned random;
};

static unsigned draw(struct program *program, unsigned below)
{
    program->random = program->random * 1103515245u + 12345u;
    return (program->random >> 16) % below;
}

static void work(struct program *program, uint32_t process)
{
    const uint64_t from = program->ns[process];
    program->ns[process] += 10 + draw(program, 300);
    program->stays[program->stay_count++] = (struct script_stay){
        process, draw(program, 2) ? WORK : OTHER_WORK, from, program->ns[process]};
    program->ns[process] += 1 + draw(program, 5);
}

static void message(struct program *program, uint32_t from, uint32_t to)
{
    const uint64_t bytes = draw(program, 4) ? 20 : 200;
    uint64_t *sender = &program->ns[from], *receiver = &program->ns[to];
    const uint64_t sent = *sender, posted = *receiver;
    const uint64_t ready = bytes > 100 ? (sent + 30 > posted ? sent + 30 : posted) + 30 + bytes
                                       : sent + 10 + bytes;
    const uint64_t there = ready + 20 > posted ? ready + 20 : posted;
    *sender = bytes > 100 ? ready : sent + 10;
    *receiver = there + 10 + draw(program, 7);
    program->calls[program->call_count++] =
        (struct script_call){from, SEND, sent, *sender, (int)to, .bytes = bytes};
    program->calls[program->call_count++] =
        (struct script_call){to, RECV, posted, *receiver, (int)from, .bytes = bytes};
    ++*sender;
    ++*receiver;
}

static void barrier(struct program *program)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++)
        last = program->ns[i] > last ? program->ns[i] : last;
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++) {
        const uint64_t end = last + 5 + draw(program, 9);
        program->calls[program->call_count++] =
            (struct script_call){i, BARRIER, program->ns[i], end, NOBODY};
        program->ns[i] = end + 1;
    }
}

static struct program *make_program(unsigned seed, bool synchronizes)
{
    static struct program program;
    program = (struct program){.random = seed, .ns = {0, 3, 5, 9}};
    for (int i = 0; i < STEPS; i++) {
        for (uint32_t j = 0; j < SCRIPT_PROCESSES; j++)
            work(&program, j);
        for (uint32_t j = 0; j < 2; j++) {
            const uint32_t from = draw(&program, SCRIPT_PROCESSES);
            message(&program, from, (from + 1 + draw(&program, 3)) % SCRIPT_PROCESSES);
        }
        if (synchronizes)
            barrier(&program);
    }
    return &program;
}

static struct model model_of(const struct program *program)
{
    return model_make(&(struct script){.calls = program->calls,
                                       .call_count = program->call_count,
                                       .stays = program->stays,
                                       .stay_count = program->stay_count,
                                       .processes = SCRIPT_PROCESSES,
                                       .ends = program->ns},
                      &network);
}

/* Every call of a program without its wait, one by one, and regions scaled. */
static void try_all(unsigned seed, bool synchronizes, uint64_t *wrong, uint64_t *steps,
                    uint64_t *whole)
{
    struct model model = model_of(make_program(seed, synchronizes));
    struct whatif_search *search = whatif_search(model.whatif, NULL);
    const size_t calls = whatif_facts(model.whatif).calls;
    const uint64_t before = whatif_search_steps(search);
    for (uint32_t i = 0; i < calls; i++) {
        whatif_changes_free(model.changes);
        model.changes = whatif_changes(model.whatif);
        whatif_call_never_waits(model.changes, i);
        whatif_call_never_waits(whatif_search_changes(search), i);
        *wrong += whatif_search_try(search) != model_ns(&model);
    }
    *steps += whatif_search_steps(search) - before;
    *whole += calls * calls;
    whatif_changes_free(model.changes);
    model.changes = whatif_changes(model.whatif);
    whatif_scale(model.changes, model_paths(&model, WORK), 0.5);
    whatif_scale(whatif_search_changes(search), model.paths, 0.5);
    *wrong += whatif_search_try(search) != model_ns(&model);
    *wrong += whatif_search_try(search) != whatif_search_ns(search);
    /* And on top of it. */
    whatif_scale(whatif_search_changes(search), model.paths, 0.5);
    whatif_search_keep(search);
    *wrong += whatif_search_ns(search) != model_ns(&model);
    whatif_scale(model.changes, model_paths(&model, OTHER_WORK), 3);
    whatif_scale(whatif_search_changes(search), model.paths, 3);
    *wrong += whatif_search_try(search) != model_ns(&model);
    whatif_search_free(search);
    model_free(&model);
}

static void test_random(void)
{
    uint64_t wrong = 0, steps = 0, whole = 0, ignored = 0;
    for (unsigned seed = 1; seed <= tap_tried(12); seed++) {
        try_all(seed, true, &wrong, &steps, &whole);
        try_all(seed, false, &wrong, &ignored, &ignored);
    }
    EQ_INT(wrong, 0, "what is simulated in part is as what is simulated as a whole");
    OK(steps * 4 < whole, "where all meet, less than a quarter is simulated");
}

/* A wait that is not on the critical path is worth nothing. */
static void test_crossings(void)
{
    uint64_t missed = 0, found = 0;
    for (unsigned seed = 1; seed <= tap_tried(12); seed++) {
        struct model model = model_of(make_program(seed, seed % 2));
        struct whatif_search *search = whatif_search(model.whatif, NULL);
        size_t count;
        const struct whatif_crossing *crossings = whatif_search_crossings(search, &count);
        const size_t calls = whatif_facts(model.whatif).calls;
        for (uint32_t i = 0; i < calls; i++) {
            bool crosses = false;
            for (size_t j = 0; j < count; j++)
                crosses |= crossings[j].call == i;
            whatif_call_never_waits(whatif_search_changes(search), i);
            const bool gains = whatif_search_try(search) < whatif_search_ns(search);
            missed += gains && !crosses;
            found += gains;
        }
        whatif_search_free(search);
        model_free(&model);
    }
    EQ_INT(missed, 0, "all that gains is on the critical path");
    OK(found > 0, "and some does");
}

/*
 * The domino effect: 0's message to 1 is late, and on its account 1's to 2 and 2's to 3.  To
 * send it earlier is worth as much as to take out the last wait.
 */
static void test_domino(void)
{
    static const struct script_call calls[] = {
        {0, SEND, 300, 310, 1, .bytes = 1}, {1, RECV, 100, 340, 0, .bytes = 1},
        {1, SEND, 440, 450, 2, .bytes = 1}, {2, RECV, 350, 480, 1, .bytes = 1},
        {2, SEND, 580, 590, 3, .bytes = 1}, {3, RECV, 510, 620, 2, .bytes = 1}};
    static const struct script_stay stays[] = {
        {0, WORK, 0, 300},   {1, WORK, 0, 100}, {1, WORK, 341, 440}, {2, WORK, 0, 350},
        {2, WORK, 481, 580}, {3, WORK, 0, 510}, {3, WORK, 621, 999}};
    static const uint64_t ends[] = {310, 450, 590, 1000};
    struct model model = model_make(
        &(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 4, ends}, &network);
    struct whatif_search *search = whatif_search(model.whatif, NULL);
    struct whatif_crossing path[8];
    size_t count;
    uint64_t ns;
    whatif_search_crossings(search, &count);
    uint64_t known[8] = {0};
    EQ_INT(count, 3, "the critical path crosses three times");
    const size_t length =
        whatif_domino(search, &(struct whatif_domino){known}, 3, 100, path, COUNT(path), &ns);
    EQ_INT(length, 3, "they are one domino path");
    EQ_INT(whatif_call(model.whatif, path[0].call).thread, 3, "that ends with the last");
    EQ_INT(whatif_call(model.whatif, path[2].call).thread, 1, "and begins where 1 waits for");
    EQ_INT(whatif_call(model.whatif, path[2].cause).thread, 0, "the first one's message");
    EQ_INT(ns, 900, "of the last wait, 110, 10 are needed to receive");
    whatif_search_free(search);
    model_free(&model);
}

/* The call whose wait was longest as measured, of those not tried yet. */
static uint32_t longest(const struct whatif *whatif, bool *is_done, size_t calls)
{
    uint32_t best = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < calls; i++) {
        const struct whatif_call call = whatif_call(whatif, i);
        if (!is_done[i] && call.leave_ns - call.enter_ns > most) {
            most = call.leave_ns - call.enter_ns;
            best = i;
        }
    }
    is_done[best] = true;
    return best;
}

/* The beginning of the best domino path. */
static bool find_domino(struct whatif_search *search, uint32_t *call)
{
    static uint64_t known[CALLS_MOST];
    struct whatif_crossing path[CALLS_MOST];
    uint64_t best = whatif_search_ns(search), ns;
    bool found = false;
    memset(known, 0, sizeof known);
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++) {
        const size_t length = whatif_domino(search, &(struct whatif_domino){known}, i, 100,
                                            path, CALLS_MOST, &ns);
        if (length == 0 || ns >= best)
            continue;
        best = ns;
        *call = path[length - 1].call;
        found = true;
    }
    return found;
}

/* Seven modifications by domino paths, and seven of the longest waits (paper, table 2). */
static void modify(struct model *model, uint64_t *by_domino, uint64_t *by_length, bool *falls)
{
    enum { MODIFICATIONS = 7 };
    const size_t calls = whatif_facts(model->whatif).calls;
    struct whatif_search *domino = whatif_search(model->whatif, NULL),
                         *length = whatif_search(model->whatif, NULL);
    bool is_done[CALLS_MOST] = {false};
    for (int i = 0; i < MODIFICATIONS; i++) {
        const uint64_t before = whatif_search_ns(domino);
        uint32_t call;
        if (find_domino(domino, &call)) {
            whatif_call_never_waits(whatif_search_changes(domino), call);
            whatif_search_keep(domino);
            *falls &= whatif_search_ns(domino) < before;
        }
        call = longest(model->whatif, is_done, calls);
        whatif_call_never_waits(whatif_search_changes(length), call);
        whatif_search_keep(length);
    }
    *by_domino += whatif_search_ns(domino);
    *by_length += whatif_search_ns(length);
    whatif_search_free(domino);
    whatif_search_free(length);
}

static void test_modifications(void)
{
    uint64_t by_domino = 0, by_length = 0, before = 0;
    bool falls = true;
    for (unsigned seed = 1; seed <= tap_tried(12); seed++) {
        struct model model = model_of(make_program(seed, false));
        before += model_ns(&model);
        modify(&model, &by_domino, &by_length, &falls);
        model_free(&model);
    }
    OK(falls, "every modification by a domino path gains something");
    OK(before - by_domino > 2 * (before - by_length),
       "in sum more than twice as much as those of the longest waits: %ju and %ju of %ju",
       (uintmax_t)(before - by_domino), (uintmax_t)(before - by_length), (uintmax_t)before);
}

int main(void)
{
    test_random();
    test_crossings();
    test_domino();
    test_modifications();
    return tap_done();
}
