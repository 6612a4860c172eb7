/*
 * Several who share an analysis find what one alone finds, to the last
 * nanosecond and with the same numbers: in traces of programs that make sense,
 * and in any others.  If memory runs out for one of them all know.
 */
#include "replay/crew/crew.h"
#include "replay/failing.h"
#include "replay/script.h"
#include "replay/threads_team.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 20000, INSTANCES = 4, AHEAD = 40 };

static uint64_t state = 1;

/* Marsaglia's xorshift64. */
static uint64_t number(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* An event, a stay or a source, and the process that it is of. */
struct step {
    enum { STEP_EVENT, STEP_STAY, STEP_SOURCE } kind;
    struct replay_event event; /* of the others, what they have in common with it */
};

struct trace {
    struct step steps[EVENTS_MOST];
    size_t count;
    bool is_burst; /* a thread has many events at one moment */
};

static void add(struct trace *trace, const struct step *step)
{
    if (trace->count < EVENTS_MOST)
        trace->steps[trace->count++] = *step;
}

/* --- any events in any order --- */

static uint32_t any_process(void)
{
    const uint32_t process = (uint32_t)number(SCRIPT_PROCESSES + 1);
    return process < SCRIPT_PROCESSES ? process : REPLAY_NONE;
}

static void any_events(struct trace *trace, size_t count)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < count; i++) {
        const struct step step = {
            /* Within calls of MPI nothing is seen of threads. */
            .kind = number(40) ? STEP_EVENT : STEP_SOURCE,
            .event = {.kind = (enum replay_kind)number(REPLAY_OFF + 1),
                      .thread = (uint32_t)number(SCRIPT_PROCESSES),
                      .time_ns = ns += number(20),
                      .instance = number(3) ? (uint32_t)number(INSTANCES) : REPLAY_NONE,
                      .region = (uint32_t)number(SCRIPT_REGIONS),
                      .peer = any_process(),
                      .comm = (uint32_t)number(2),
                      .tag = (uint32_t)number(2),
                      .window = number(4) ? (uint32_t)number(2) : REPLAY_NONE,
                      .operation = (uint32_t)number(TSPROF_OPERATIONS + 1),
                      .root = any_process(),
                      .is_exclusive = number(2),
                      .bytes = number(100),
                      .bytes_received = number(100),
                      .request = number(2) ? number(6) : REPLAY_NO_REQUEST}};
        add(trace, &step);
    }
}

/* --- programs that make sense --- */

struct making {
    struct trace *trace;
    uint64_t now[SCRIPT_PROCESSES];
    uint64_t requests;
    uint32_t instance;
};

static struct step step_of(const struct making *making, uint32_t process, enum replay_kind kind,
                           enum script_region region)
{
    return (struct step){.event = {.kind = kind,
                                   .thread = process,
                                   .time_ns = making->now[process],
                                   .instance = making->instance,
                                   .region = region,
                                   .peer = REPLAY_NONE,
                                   .comm = SCRIPT_WORLD,
                                   .window = SCRIPT_WINDOW,
                                   .operation = TSPROF_OPERATIONS,
                                   .root = REPLAY_NONE,
                                   .bytes = 8,
                                   .request = REPLAY_NO_REQUEST}};
}

static void enter(struct making *making, uint32_t process, enum script_region region)
{
    const struct step step = step_of(making, process, REPLAY_ENTER, region);
    add(making->trace, &step);
    making->now[process] += number(3);
}

static void leave(struct making *making, uint32_t process, enum script_region region)
{
    making->now[process] += number(3);
    const struct step step = step_of(making, process, REPLAY_LEAVE, region);
    add(making->trace, &step);
}

static void compute(struct making *making, uint32_t process)
{
    const enum script_region region = number(2) ? WORK : OTHER_WORK;
    enter(making, process, region);
    making->now[process] += number(number(4) ? 30 : 300);
    leave(making, process, region);
}

/* One event within a call of its own. */
static void call(struct making *making, uint32_t process, enum script_region region,
                 enum replay_kind kind, uint32_t peer, uint64_t request)
{
    enter(making, process, region);
    struct step step = step_of(making, process, kind, region);
    step.event.peer = step.event.root = peer;
    step.event.request = request;
    step.event.tag = 0;
    add(making->trace, &step);
    leave(making, process, region);
}

static void meet(struct making *making, uint32_t process, uint64_t ns)
{
    if (making->now[process] < ns && number(20))
        making->now[process] = ns;
}

static void send_message(struct making *making, uint32_t from, uint32_t to)
{
    const uint64_t posted = number(3) ? REPLAY_NO_REQUEST : ++making->requests;
    const uint64_t sent = number(2) ? REPLAY_NO_REQUEST : ++making->requests;
    if (posted != REPLAY_NO_REQUEST)
        call(making, to, IRECV, REPLAY_POST, from, posted);
    compute(making, number(2) ? from : to);
    call(making, from, sent == REPLAY_NO_REQUEST ? SEND : ISEND, REPLAY_SEND, to, sent);
    const uint64_t arrives = making->now[from];
    if (posted == REPLAY_NO_REQUEST && number(4) == 0)
        call(making, to, TEST, REPLAY_CANCEL, from, 999);
    const enum script_region region = posted == REPLAY_NO_REQUEST ? RECV : WAIT;
    enter(making, to, region);
    meet(making, to, arrives);
    struct step step = step_of(making, to, REPLAY_RECEIVE, region);
    step.event.peer = from;
    step.event.tag = 0;
    step.event.request = posted;
    add(making->trace, &step);
    leave(making, to, region);
    if (sent != REPLAY_NO_REQUEST)
        call(making, from, WAIT, REPLAY_SENT, to, sent);
}

/* Two messages, the second of which is received first. */
static void send_two(struct making *making, uint32_t from, uint32_t to)
{
    for (uint32_t tag = 0; tag < 2; tag++) {
        enter(making, from, SEND);
        struct step step = step_of(making, from, REPLAY_SEND, SEND);
        step.event.peer = to;
        step.event.tag = tag;
        add(making->trace, &step);
        leave(making, from, SEND);
        compute(making, from);
    }
    for (uint32_t tag = 2; tag-- > 0;) {
        enter(making, to, RECV);
        meet(making, to, making->now[from]);
        struct step step = step_of(making, to, REPLAY_RECEIVE, RECV);
        step.event.peer = from;
        step.event.tag = tag;
        add(making->trace, &step);
        leave(making, to, RECV);
    }
}

static void collect(struct making *making)
{
    static const struct {
        enum script_region region;
        enum tsprof_operation operation;
        enum replay_kind kind;
    } choices[] = {
        {BARRIER, TSPROF_BARRIER, REPLAY_COLLECT},
        {ALLREDUCE, TSPROF_N_TO_N, REPLAY_COLLECT},
        {BCAST, TSPROF_ONE_TO_N, REPLAY_COLLECT},
        {REDUCE, TSPROF_N_TO_ONE, REPLAY_COLLECT},
        {SCAN, TSPROF_SCAN, REPLAY_COLLECT},
        {ALLREDUCE, TSPROF_NEIGHBORS, REPLAY_COLLECT},
        {FENCE, TSPROF_WIN_FENCE, REPLAY_WINDOW_FENCE},
    };
    const size_t choice = number(sizeof choices / sizeof *choices);
    const uint32_t root = (uint32_t)number(SCRIPT_PROCESSES);
    uint64_t last = 0;
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++)
        last = making->now[i] > last ? making->now[i] : last;
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++) {
        enter(making, i, choices[choice].region);
        meet(making, i, last);
        struct step step = step_of(making, i, choices[choice].kind, choices[choice].region);
        step.event.operation = choices[choice].operation;
        step.event.root = root;
        add(making->trace, &step);
        leave(making, i, choices[choice].region);
    }
}

/* One that does not block. */
static void collect_later(struct making *making)
{
    const uint64_t request = ++making->requests;
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++) {
        call(making, i, IALLREDUCE, REPLAY_POST_COLLECT, REPLAY_NONE, request);
        compute(making, i);
    }
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++) {
        enter(making, i, WAIT_COLLECTIVE);
        making->now[i] += number(100);
        struct step step = step_of(making, i, REPLAY_COLLECT, WAIT_COLLECTIVE);
        step.event.operation = TSPROF_N_TO_N;
        step.event.request = request;
        add(making->trace, &step);
        leave(making, i, WAIT_COLLECTIVE);
    }
}

static void use_epoch(struct making *making, uint32_t one, uint32_t other)
{
    compute(making, number(2) ? one : other);
    call(making, one, WIN_POST, REPLAY_NOTIFY_OUT, other, REPLAY_NO_REQUEST);
    call(making, other, WIN_START, REPLAY_NOTIFY_IN, one, REPLAY_NO_REQUEST);
    if (number(2))
        call(making, other, PUT, REPLAY_PUT, one, REPLAY_NO_REQUEST);
    compute(making, other);
    call(making, other, WIN_COMPLETE, REPLAY_NOTIFY_OUT, one, REPLAY_NO_REQUEST);
    enter(making, one, WIN_WAIT);
    meet(making, one, making->now[other]);
    struct step step = step_of(making, one, REPLAY_NOTIFY_IN, WIN_WAIT);
    step.event.peer = other;
    add(making->trace, &step);
    leave(making, one, WIN_WAIT);
}

static void use_lock(struct making *making, uint32_t one, uint32_t other, uint32_t target)
{
    const uint32_t both[] = {one, other};
    for (size_t i = 0; i < 2; i++) {
        enter(making, both[i], WIN_LOCK);
        struct step step = step_of(making, both[i], REPLAY_LOCK, WIN_LOCK);
        step.event.peer = target;
        step.event.is_exclusive = true;
        add(making->trace, &step);
        leave(making, both[i], WIN_LOCK);
        call(making, both[i], PUT, REPLAY_PUT, target, REPLAY_NO_REQUEST);
        if (i == 0)
            compute(making, one);
        enter(making, both[i], WIN_UNLOCK);
        making->now[both[i]] += number(200);
        step = step_of(making, both[i], REPLAY_UNLOCK, WIN_UNLOCK);
        step.event.peer = target;
        add(making->trace, &step);
        leave(making, both[i], WIN_UNLOCK);
    }
}

static void pause_recording(struct making *making)
{
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++) {
        const struct step step = step_of(making, i, REPLAY_OFF, MAIN);
        add(making->trace, &step);
        making->now[i] += 1000;
    }
}

/* A function of a sample, where nothing else is known. */
static void be_seen(struct making *making, uint32_t process)
{
    const struct step step = {.kind = STEP_STAY,
                              .event = step_of(making, process, REPLAY_ENTER, WORK).event};
    add(making->trace, &step);
}

static int compare_times(const void *a, const void *b)
{
    const struct step *one = a, *other = b;
    if (one->event.time_ns != other->event.time_ns)
        return one->event.time_ns < other->event.time_ns ? -1 : 1;
    return one->event.thread < other->event.thread ? -1
                                                   : one->event.thread > other->event.thread;
}

/* Sorts steps by time; those of one thread at one time stay as they are. */
static void sort_steps(struct trace *trace)
{
    struct step *sorted = calloc(trace->count + 1, sizeof *sorted);
    NEED(sorted);
    /* Insertion keeps the order of equal ones. */
    for (size_t i = 0; i < trace->count; i++) {
        size_t at = i;
        for (; at > 0 && compare_times(&sorted[at - 1], &trace->steps[i]) > 0; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = trace->steps[i];
    }
    memcpy(trace->steps, sorted, trace->count * sizeof *sorted);
    free(sorted);
}

static void make_program(struct trace *trace, unsigned actions)
{
    struct making making = {.trace = trace, .instance = REPLAY_NONE};
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++) {
        making.now[i] = number(50);
        enter(&making, i, MAIN);
        enter(&making, i, INIT);
        leave(&making, i, INIT);
    }
    for (unsigned i = 0; i < actions; i++) {
        const uint32_t one = (uint32_t)number(SCRIPT_PROCESSES);
        const uint32_t other = (one + 1 + (uint32_t)number(SCRIPT_PROCESSES - 1)) % 4;
        making.instance = number(4) ? (uint32_t)(i * INSTANCES / actions) : REPLAY_NONE;
        compute(&making, one);
        be_seen(&making, other);
        switch (number(12)) {
        case 0:
        case 1:
            collect(&making);
            break;
        case 2:
            collect_later(&making);
            break;
        case 3:
            use_epoch(&making, one, other);
            break;
        case 4:
            use_lock(&making, one, other, (uint32_t)number(SCRIPT_PROCESSES));
            break;
        case 5:
            send_two(&making, one, other);
            break;
        case 6:
            if (number(5) == 0)
                pause_recording(&making);
            break;
        default:
            send_message(&making, one, other);
            break;
        }
    }
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++) {
        compute(&making, i);
        enter(&making, i, FINALIZE);
        leave(&making, i, FINALIZE);
        leave(&making, i, MAIN);
    }
    sort_steps(trace);
}

/* --- what is found, as text --- */

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct lines {
    char *list[EVENTS_MOST];
    size_t count;
};

__attribute__((format(printf, 2, 3))) static void add_line(struct lines *lines,
                                                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (lines->count == EVENTS_MOST ||
        vasprintf(&lines->list[lines->count++], format, arguments) < 0)
        abort();
    va_end(arguments);
}

static void print_sorted(FILE *file, struct lines *lines)
{
    qsort(lines->list, lines->count, sizeof(char *), compare_lines);
    for (size_t i = 0; i < lines->count; i++) {
        fprintf(file, "%s\n", lines->list[i]);
        free(lines->list[i]);
    }
    lines->count = 0;
}

static void print_paths(FILE *file, const struct replay_result *result, struct lines *lines)
{
    for (size_t i = 0; i < result->node_count; i++)
        fprintf(file, "node %zu: %u %u\n", i, result->nodes[i].parent, result->nodes[i].region);
    for (size_t i = 0; i < result->path_count; i++) {
        const struct path *path = &result->paths[i];
        fprintf(file, "path %zu: %u %u %u below %u: %jd %jd\n", i, path->thread, path->instance,
                path->node, path->parent, (intmax_t)path->time_ns, (intmax_t)path->visits);
        for (uint32_t at = path->first_value; at != REPLAY_NONE; at = result->values[at].next)
            if (result->values[at].value != 0)
                add_line(lines, " %s %jd", result->metrics[result->values[at].metric].name,
                         (intmax_t)result->values[at].value);
        print_sorted(file, lines);
    }
}

/* The longest of each metric first. */
static int compare_waits(const void *a, const void *b)
{
    return replay_wait_compare(*(const struct replay_wait *const *)a,
                               *(const struct replay_wait *const *)b);
}

static void print_waits(FILE *file, const struct replay_result *result, struct lines *lines)
{
    for (size_t i = 0; i < result->pair_count; i++) {
        const struct replay_pair *pair = &result->pairs[i];
        for (uint32_t at = pair->first_reason; at != REPLAY_NONE; at = result->reasons[at].next)
            add_line(lines, "pair %u %u %u %u: %ju %ju %ju, %u %d %ju", pair->metric,
                     pair->thread, pair->node, pair->cause_thread, (uintmax_t)pair->count,
                     (uintmax_t)pair->ns, (uintmax_t)pair->longest_ns, result->reasons[at].node,
                     result->reasons[at].is_indirect, (uintmax_t)result->reasons[at].ns);
    }
    print_sorted(file, lines);
    const struct replay_wait **waits = calloc(result->wait_count + 1, sizeof *waits);
    size_t count = 0, of_metric = 0;
    NEED(waits);
    for (size_t i = 0; i < result->wait_count; i++)
        if (result->waits[i].ns > 0 && result->waits[i].cause_path != REPLAY_NONE)
            waits[count++] = &result->waits[i];
    qsort(waits, count, sizeof *waits, compare_waits);
    for (size_t i = 0; i < count; i++) {
        const struct replay_wait *wait = waits[i];
        of_metric = i > 0 && wait->metric == waits[i - 1]->metric ? of_metric + 1 : 0;
        if (of_metric < CREW_LONGEST)
            fprintf(file, "wait %u on %u at %ju: %ju for %u %u %ju since %ju\n", wait->metric,
                    wait->path, (uintmax_t)wait->begin_ns, (uintmax_t)wait->ns,
                    wait->cause_thread, wait->cause_path, (uintmax_t)wait->cause_ns,
                    (uintmax_t)wait->since_ns);
    }
    free(waits);
}

static char *text_of(const struct replay *replay)
{
    struct replay_result result;
    struct lines *lines = calloc(1, sizeof *lines);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    NEED(lines && file);
    replay_result(replay, &result);
    print_paths(file, &result, lines);
    print_waits(file, &result, lines);
    fprintf(file, "%ju events, %ju %ju unmatched\n", (uintmax_t)result.events,
            (uintmax_t)result.unmatched_sends, (uintmax_t)result.unmatched_receives);
    fclose(file);
    free(lines);
    return text;
}

/* --- one, and several --- */

static const uint32_t seen_regions[] = {WORK, OTHER_WORK};

static struct replay_stay stay_of(const struct replay_event *event)
{
    return (struct replay_stay){.thread = event->thread,
                                .instance = event->instance,
                                .until_ns = event->time_ns,
                                .regions = seen_regions,
                                .region_count = 1 + event->time_ns % 2,
                                .visit_count = 1,
                                .samples = 1};
}

static char *alone(const struct replay_world *world, const struct trace *trace)
{
    struct replay *replay = replay_create(world);
    NEED(replay);
    for (size_t i = 0; i < trace->count; i++) {
        const struct replay_event *event = &trace->steps[i].event;
        const struct replay_stay stay = stay_of(event);
        if (trace->steps[i].kind == STEP_EVENT)
            replay_take(replay, event);
        else if (trace->steps[i].kind == STEP_STAY)
            replay_stay(replay, &stay);
        else
            replay_source(replay, event->comm, event->thread, event->peer);
    }
    NEED(replay_end(replay));
    char *text = text_of(replay);
    replay_free(replay);
    return text;
}

struct sharing {
    const struct replay_world *world;
    const struct trace *trace;
    char *text;
    long fails_after; /* so many allocations of `victim`; below 0: never */
    uint32_t victim;
    bool is_good[TEAM_MOST]; /* by member: it came to the end */
    bool has_failed;         /* an allocation of the victim's has */
};

static void share(void *context, struct team *member)
{
    struct sharing *sharing = context;
    static const uint32_t same[INSTANCES] = {0, 1, 2, 3};
    uint32_t owners[SCRIPT_PROCESSES];
    for (uint32_t i = 0; i < SCRIPT_PROCESSES; i++)
        owners[i] = i * member->size / SCRIPT_PROCESSES;
    failing_after(member->self == sharing->victim ? sharing->fails_after : -1);
    struct crew *crew = crew_create(sharing->world, owners, member, AHEAD);
    struct replay *whole = NULL;
    bool good = crew != NULL;
    for (size_t i = 0; good && i < sharing->trace->count; i++) {
        const struct step *step = &sharing->trace->steps[i];
        const struct replay_moment moment = {
            step->event.time_ns, sharing->trace->is_burst ? 0 : i, step->event.thread};
        const struct replay_stay stay = stay_of(&step->event);
        if (owners[sharing->world->processes[step->event.thread]] != member->self)
            continue;
        if (step->kind == STEP_EVENT)
            good = crew_take(crew, &step->event, moment);
        else if (step->kind == STEP_STAY)
            good = crew_stay(crew, &stay, moment);
        else
            good = crew_source(crew, step->event.comm, step->event.thread, step->event.peer,
                               moment);
    }
    good = good && crew_end(crew) && crew_unite(crew, same, &whole);
    if (member->self == sharing->victim)
        sharing->has_failed = failing_has_failed();
    failing_after(-1);
    sharing->is_good[member->self] = good && !member->has_failed;
    if (good && member->self == 0)
        sharing->text = text_of(whole);
    replay_free(whole);
    crew_free(crew);
}

/* The first line in which they differ is printed; 1 if there is one. */
static unsigned differ(const char *wanted, const char *got)
{
    size_t at = 0, line = 0;
    if (strcmp(wanted, got) == 0)
        return 0;
    for (; wanted[at] == got[at]; at++)
        line = wanted[at] == '\n' ? at + 1 : line;
    printf("# %.*s\n# %.*s\n", (int)strcspn(wanted + line, "\n"), wanted + line,
           (int)strcspn(got + line, "\n"), got + line);
    return 1;
}

static unsigned compare(const struct replay_world *world, const struct trace *trace,
                        uint32_t size)
{
    char *wanted = alone(world, trace);
    struct sharing sharing = {.world = world, .trace = trace, .fails_after = -1};
    threads_team_run(size, share, &sharing);
    NEED(sharing.text);
    const unsigned result = differ(wanted, sharing.text);
    free(wanted);
    free(sharing.text);
    return result;
}

/* More events of a thread at one time than a scout may be ahead. */
static void test_burst(struct trace *trace)
{
    struct making making = {.trace = trace};
    trace->count = 0;
    trace->is_burst = true;
    for (uint32_t process = 0; process < SCRIPT_PROCESSES; process++)
        for (int i = 0; i < (process == 1 ? 3 * AHEAD : 1); i++) {
            const struct step entry = step_of(&making, process, REPLAY_ENTER, WORK),
                              exit = step_of(&making, process, REPLAY_LEAVE, WORK);
            add(trace, &entry);
            add(trace, &exit);
        }
    for (uint32_t size = 1; size <= SCRIPT_PROCESSES; size++)
        EQ_INT(compare(&script_world, trace, size), 0,
               "%u come to the end of many events at one time", size);
    trace->is_burst = false;
}

/* How many of SIZE came to the end although an allocation of VICTIM's failed, after COUNT
 * others; *IS_OVER: it has no more of them. */
static unsigned count_good(const struct replay_world *world, const struct trace *trace,
                           uint32_t size, uint32_t victim, long count, bool *is_over)
{
    struct sharing sharing = {
        .world = world, .trace = trace, .fails_after = count, .victim = victim};
    unsigned good = 0;
    threads_team_run(size, share, &sharing);
    for (uint32_t i = 0; i < size; i++)
        good += sharing.is_good[i];
    *is_over = !sharing.has_failed;
    free(sharing.text);
    return *is_over ? size - good : good;
}

/* Whichever allocation of VICTIM fails: nobody waits for ever, and nobody takes what is there
 * for the result. */
static void fail_each(const struct replay_world *world, const struct trace *trace,
                      uint32_t size, uint32_t victim)
{
    unsigned wrong = 0;
    long count = 0;
    for (bool is_over = false; !is_over; count += tap_stride()) {
        const unsigned found = count_good(world, trace, size, victim, count, &is_over);
        if (found > 0)
            printf("# allocation %ld: %u\n", count, found);
        wrong += found;
    }
    EQ_INT(wrong, 0, "all %u know if memory runs out for number %u", size, victim);
    OK(count > 100, "%u: there are so many allocations", size);
}

static void test_failing(const struct replay_world *world, struct trace *trace)
{
    for (uint32_t size = 1; size <= 3; size++) {
        state = 7 * size;
        trace->count = 0;
        make_program(trace, 24);
        fail_each(world, trace, size, 0);
        if (size > 1)
            fail_each(world, trace, size, size - 1);
    }
}

int main(void)
{
    struct replay_world world = script_world;
    struct trace *trace = calloc(1, sizeof *trace);
    const char *runs = getenv("CREW_RUNS");
    const uint64_t seeds = runs ? strtoull(runs, NULL, 10) : 60;
    NEED(trace);
    world.has_windows = true;
    for (uint32_t size = 1; size <= SCRIPT_PROCESSES + 1; size++) {
        unsigned programs = 0, others = 0;
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            state = seed * UINT64_C(0x9E3779B97F4A7C15);
            world.has_master = seed % 3 == 0;
            world.master = (uint32_t)seed % SCRIPT_PROCESSES;
            trace->count = 0;
            make_program(trace, (unsigned)seed);
            programs += compare(&world, trace, size);
            trace->count = 0;
            any_events(trace, seed * 10);
            others += compare(&world, trace, size);
        }
        EQ_INT(programs, 0, "%u find the same in programs", size);
        EQ_INT(others, 0, "%u find the same in any events", size);
    }
    test_burst(trace);
    test_failing(&world, trace);
    free(trace);
    return tap_done();
}
