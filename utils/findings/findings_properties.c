/* See findings_properties.h. */
#include "findings/findings_properties.h"

#include "base/base.h"
#include "print/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMED     2     /* statements in a sentence */
#define MIRRORED  0.25L /* of the variance, if computation is added: the other side of it */
#define OPERATING 0.5L  /* of the calls do something: others are polls */
#define SMALL     1024  /* bytes that a call moves in next to no time */
#define MANY      1000  /* calls of a process: fewer take next to no time, either */
#define RATE      0.05L /* of the computation: what frequent calls would take at least */

bool is_severe(const struct traits *traits, long double seconds)
{
    return seconds > 0 && seconds >= traits->thresholds->value[THRESHOLD_SEVERITY] *
                                         traits->wall * (long double)traits->count;
}

void add_mean(const struct traits *traits, struct text *text, long double sum)
{
    char part[QUANTITY_SIZE], whole[QUANTITY_SIZE], percent[QUANTITY_SIZE];
    const long double mean = sum / (long double)traits->count;
    text_addf(text, "%s of %s, %s %%", format_quantity(part, mean, "s"),
              format_quantity(whole, traits->wall, "s"),
              format_percent(percent, mean, traits->wall));
}

void add_trait(const struct traits *traits, const struct trait *trait, struct text *sentence)
{
    traits->found->list[traits->found->count++] =
        (struct run_finding){.kind = trait->kind,
                             .gain = (double)trait->gain,
                             .severity = (double)(trait->sum / traits->all),
                             .confidence = trait->confidence,
                             .path = trait->path,
                             .rank = trait->rank,
                             .sentence = sentence->bytes};
}

/* What the run could be shorter by if statements that cost SUM did not: waiting for processes
 * that compute longer would remain. */
static long double gain_of(const struct traits *traits, long double sum)
{
    const long double mean = sum / (long double)traits->count;
    return mean < traits->rest ? mean : traits->rest;
}

/* The metrics that are looked at; SUMMARY_NONE for those that the summary lacks. */
struct looked_at {
    uint32_t time, computation, preempted, communication, point2point, visits, comms, syncs;
    uint32_t sent, empty_sent, received, empty_received, put, get;
    uint32_t bytes, bytes_sent, bytes_received, bytes_put, bytes_get;
};

static struct looked_at look_up(const struct summary *summary)
{
    return (struct looked_at){
        .time = summary_metric(summary, "time"),
        .computation = summary_metric(summary, "computation"),
        .preempted = summary_metric(summary, "preempted"),
        .communication = summary_metric(summary, "mpi_communication"),
        .point2point = summary_metric(summary, "mpi_point2point"),
        .visits = summary_metric(summary, "visits"),
        .comms = summary_metric(summary, "comms"),
        .syncs = summary_metric(summary, "syncs"),
        .sent = summary_metric(summary, "comms_send"),
        .empty_sent = summary_metric(summary, "syncs_send"),
        .received = summary_metric(summary, "comms_recv"),
        .empty_received = summary_metric(summary, "syncs_recv"),
        .put = summary_metric(summary, "comms_put"),
        .get = summary_metric(summary, "comms_get"),
        .bytes = summary_metric(summary, "bytes"),
        .bytes_sent = summary_metric(summary, "bytes_sent"),
        .bytes_received = summary_metric(summary, "bytes_rcvd"),
        .bytes_put = summary_metric(summary, "bytes_put"),
        .bytes_get = summary_metric(summary, "bytes_get"),
    };
}

static long double value_at(const struct path_values *values, uint32_t path, uint32_t metric)
{
    return metric == SUMMARY_NONE ? 0 : path_value(values, path, metric);
}

static void count_process(struct process *process, const struct path_values *values,
                          uint32_t path, const struct looked_at *metrics)
{
    const long double point2point = value_at(values, path, metrics->point2point),
                      sent = value_at(values, path, metrics->sent) +
                             value_at(values, path, metrics->empty_sent);
    process->point2point += point2point;
    process->waiting += sent > 0 ? 0 : point2point;
    process->sent += sent;
    process->received += value_at(values, path, metrics->received) +
                         value_at(values, path, metrics->empty_received);
}

static void count_statement(struct statement *statement, const struct path_values *values,
                            uint32_t path, const struct looked_at *metrics,
                            long double computation)
{
    const long double time = value_at(values, path, metrics->communication);
    statement->time += time;
    statement->square += time * time;
    statement->with_computation += time * computation;
    statement->calls += value_at(values, path, metrics->visits);
    statement->operations +=
        value_at(values, path, metrics->comms) + value_at(values, path, metrics->syncs);
    statement->messages +=
        value_at(values, path, metrics->sent) + value_at(values, path, metrics->received) +
        value_at(values, path, metrics->put) + value_at(values, path, metrics->get);
    statement->moved += value_at(values, path, metrics->bytes);
    statement->bytes += value_at(values, path, metrics->bytes_sent) +
                        value_at(values, path, metrics->bytes_received) +
                        value_at(values, path, metrics->bytes_put) +
                        value_at(values, path, metrics->bytes_get);
}

static void count(struct traits *traits)
{
    const struct selection *selection = traits->scope->selection;
    const struct looked_at metrics = look_up(selection->summary);
    struct path_values *values = path_values_create(traits->tree);
    for (size_t r = 0; r < traits->count; r++) {
        struct process *process = &traits->processes[r];
        efficiency_process(traits->scope, r, values);
        process->rank = selection->ranks[r].rank;
        process->time = efficiency_sum(values, metrics.time);
        process->computation = efficiency_sum(values, metrics.computation);
        process->preempted = efficiency_sum(values, metrics.preempted);
        traits->all += process->time;
        traits->computation += process->computation;
        traits->computing +=
            process->time > 0
                ? process->computation * fmaxl(1 - process->preempted / process->time, 0)
                : 0;
        traits->computation2 += process->computation * process->computation;
        traits->communication += efficiency_sum(values, metrics.communication);
        for (size_t i = 0; i < values->count; i++) {
            const uint32_t path = values->list[i];
            count_process(process, values, path, &metrics);
            count_statement(&traits->statements[path], values, path, &metrics,
                            process->computation);
        }
    }
    path_values_free(values);
}

/* Statements that have a property, those that take longest first. */
struct statements {
    uint32_t longest[NAMED]; /* each of another function */
    size_t named, count;
    long double time, calls, messages, bytes; /* sums */
};

/* Whether both are calls of the same function, which one name stands for. */
static bool same_function(const struct traits *traits, uint32_t a, uint32_t b)
{
    return strcmp(traits->tree->paths[a].name, traits->tree->paths[b].name) == 0;
}

/* Keeps the longest statements, of each function one. */
static void add_longest(const struct traits *traits, struct statements *those, uint32_t path)
{
    size_t at = 0;
    while (at < those->named && !same_function(traits, those->longest[at], path))
        at++;
    at = at < NAMED ? at : NAMED - 1;
    if (at == those->named)
        those->named++;
    else if (traits->statements[those->longest[at]].time >= traits->statements[path].time)
        return;
    those->longest[at] = path;
    for (; at > 0 && traits->statements[those->longest[at - 1]].time <
                         traits->statements[those->longest[at]].time;
         at--) {
        const uint32_t longer = those->longest[at];
        those->longest[at] = those->longest[at - 1];
        those->longest[at - 1] = longer;
    }
}

static struct statements statements_with(const struct traits *traits,
                                         bool has(const struct traits *traits, uint32_t path))
{
    struct statements those = {.count = 0};
    for (uint32_t path = 0; path < traits->tree->count; path++) {
        const struct statement *statement = &traits->statements[path];
        if (statement->time <= 0 || !has(traits, path))
            continue;
        add_longest(traits, &those, path);
        those.count++;
        those.time += statement->time;
        those.calls += statement->calls;
        those.messages += statement->messages;
        those.bytes += statement->bytes;
    }
    return those;
}

/* "MPI_Recv (a.c:12) and MPI_Send (a.c:14)", or "MPI_Waitany and MPI_Testany, on 69 call paths"
 */
static void add_statements(const struct traits *traits, struct text *text,
                           const struct statements *those)
{
    const bool all = those->count == those->named;
    for (size_t i = 0; i < those->named; i++) {
        text_add(text, i == 0 ? "" : " and ");
        if (all)
            path_add_function(traits->tree, those->longest[i], text);
        else
            text_add(text, traits->tree->paths[those->longest[i]].name);
    }
    if (!all)
        text_addf(text, ", on %zu call paths", those->count);
}

/*
 * Where processors are lacking calls take as long as it takes until another process has one.
 * How often they are made, and what they move, is known: small messages are frequent if they
 * took a part of the computation that matters even if they were as short as `frequent`.
 */
static bool is_frequent_by_number(const struct traits *traits, const struct statement *of)
{
    return traits->scarce && of->moved <= SMALL * of->calls &&
           of->calls >= MANY * (long double)traits->count &&
           of->calls * traits->thresholds->value[THRESHOLD_FREQUENT] >=
               RATE * traits->computing;
}

static bool is_frequent(const struct traits *traits, uint32_t path)
{
    const struct statement *of = &traits->statements[path];
    return of->calls > 0 && of->operations >= OPERATING * of->calls &&
           (of->time < traits->thresholds->value[THRESHOLD_FREQUENT] * of->calls ||
            is_frequent_by_number(traits, of));
}

/* How long they take or, where that says little, how many there are. */
static void add_how_frequent(const struct traits *traits, struct text *text,
                             const struct statements *those)
{
    char shown[QUANTITY_SIZE], apart[QUANTITY_SIZE];
    if (those->time < traits->thresholds->value[THRESHOLD_FREQUENT] * those->calls)
        text_addf(text, ", in calls that take %s on average, of ",
                  format_quantity(shown, those->time / those->calls, "s"));
    else
        text_addf(text, ", in %s calls on each rank, one for every %s of computation, of ",
                  format_quantity(shown, those->calls / (long double)traits->count, ""),
                  format_quantity(apart, traits->computing / those->calls, "s"));
}

static void find_frequent(const struct traits *traits)
{
    const struct statements those = statements_with(traits, is_frequent);
    struct text text = {0};
    if (!is_severe(traits, those.time))
        return;
    text_add(&text, "Communication is frequent: ");
    add_mean(traits, &text, those.time);
    add_how_frequent(traits, &text, &those);
    add_statements(traits, &text, &those);
    text_add(&text, ". Fewer and longer messages would take less.");
    add_trait(traits,
              &(struct trait){RUN_FREQUENT, those.time, those.time / (long double)traits->count,
                              1, those.longest[0], SUMMARY_NONE},
              &text);
}

static bool is_big(const struct traits *traits, uint32_t path)
{
    const struct statement *of = &traits->statements[path];
    return of->messages > 0 &&
           of->bytes > traits->thresholds->value[THRESHOLD_BIG] * of->messages;
}

static void find_big(const struct traits *traits)
{
    const struct statements those = statements_with(traits, is_big);
    struct text text = {0};
    char mean[QUANTITY_SIZE];
    if (!is_severe(traits, those.time))
        return;
    text_add(&text, "Messages are big: ");
    add_mean(traits, &text, those.time);
    text_addf(&text, ", in calls with messages of %s on average, of ",
              format_quantity(mean, those.bytes / those.messages, "bytes"));
    add_statements(traits, &text, &those);
    text_add(&text, ".");
    add_trait(traits,
              &(struct trait){RUN_BIG_MESSAGES, those.time, gain_of(traits, those.time), 1,
                              those.longest[0], SUMMARY_NONE},
              &text);
}

/* N squared times a variance or covariance, from sums. */
static long double spread(const struct traits *traits, long double products, long double a,
                          long double b)
{
    return (long double)traits->count * products - a * b;
}

static bool is_uneven(const struct traits *traits, uint32_t path)
{
    const struct statement *of = &traits->statements[path];
    const long double limit = traits->thresholds->value[THRESHOLD_UNEVEN],
                      own = spread(traits, of->square, of->time, of->time),
                      common =
                          spread(traits, of->with_computation, of->time, traits->computation),
                      other = spread(traits, traits->computation2, traits->computation,
                                     traits->computation);
    return own > limit * limit * of->time * of->time &&
           own + 2 * common + other > MIRRORED * own;
}

/* The process that spends most in uneven statements, and how long that is. */
static const struct process *longest_in_uneven(const struct traits *traits, long double *most)
{
    const uint32_t communication =
        summary_metric(traits->scope->selection->summary, "mpi_communication");
    struct path_values *values = path_values_create(traits->tree);
    const struct process *longest = NULL;
    *most = -1;
    for (size_t r = 0; r < traits->count; r++) {
        long double sum = 0;
        efficiency_process(traits->scope, r, values);
        for (size_t i = 0; i < values->count; i++)
            if (is_uneven(traits, values->list[i]))
                sum += value_at(values, values->list[i], communication);
        if (sum > *most) {
            *most = sum;
            longest = &traits->processes[r];
        }
    }
    path_values_free(values);
    return longest;
}

/* How long the process had no processor that had none for longest: for so long others waited,
 * rather than it. */
static long double longest_preempted(const struct traits *traits)
{
    long double most = 0;
    for (size_t r = 0; r < traits->count; r++)
        most = traits->processes[r].preempted > most ? traits->processes[r].preempted : most;
    return most;
}

static void find_uneven(const struct traits *traits)
{
    const struct statements those = statements_with(traits, is_uneven);
    struct text text = {0};
    char shown[QUANTITY_SIZE];
    long double most;
    if (traits->count < 2 || !is_severe(traits, those.time))
        return;
    const struct process *longest = longest_in_uneven(traits, &most);
    const long double gain = most - those.time / (long double)traits->count;
    if (!is_severe(traits, (gain - longest_preempted(traits)) * (long double)traits->count))
        return;
    text_add(&text, "Communication is unevenly distributed over processes: ");
    add_mean(traits, &text, those.time);
    text_addf(&text, " on average and %s on rank %u, in ", format_quantity(shown, most, "s"),
              longest->rank);
    add_statements(traits, &text, &those);
    text_add(&text, ".");
    add_trait(traits,
              &(struct trait){RUN_UNEVEN_COMMUNICATION, those.time, gain, 1, those.longest[0],
                              longest->rank},
              &text);
}

/* The statement with most time of the function with most; SUMMARY_NONE: nobody communicates. */
static uint32_t dominating(const struct traits *traits, long double *most)
{
    const struct summary *summary = traits->tree->summary;
    long double *sums = allocate(summary->region_count, sizeof *sums);
    uint32_t *regions = allocate(traits->tree->count, sizeof *regions);
    uint32_t top = SUMMARY_NONE;
    for (uint32_t path = 0; path < traits->tree->count; path++) {
        regions[path] = summary->nodes[traits->tree->paths[path].node].region;
        sums[regions[path]] += traits->statements[path].time;
    }
    for (uint32_t path = 0; path < traits->tree->count; path++) {
        const long double time = traits->statements[path].time;
        if (time <= 0)
            continue;
        const long double own = sums[regions[path]],
                          best = top == SUMMARY_NONE ? 0 : sums[regions[top]];
        if (own > best || (own == best && time > traits->statements[top].time))
            top = path;
    }
    *most = top == SUMMARY_NONE ? 0 : sums[regions[top]];
    free(regions);
    free(sums);
    return top;
}

/* Functions that programs call again and again while they wait for something. */
static bool is_poll(const char *name)
{
    static const char *const polls[] = {
        "MPI_Test",   "MPI_Testall", "MPI_Testany",           "MPI_Testsome",
        "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status"};
    for (size_t i = 0; i < sizeof polls / sizeof polls[0]; i++)
        if (strcmp(name, polls[i]) == 0)
            return true;
    return false;
}

static void find_dominating(const struct traits *traits)
{
    long double most;
    const uint32_t path = dominating(traits, &most);
    struct text text = {0};
    char percent[QUANTITY_SIZE];
    /* Of a single function there is nothing that it dominates. */
    if (!is_severe(traits, most) || most >= traits->communication ||
        !is_severe(traits, gain_of(traits, most) * (long double)traits->count) ||
        most < traits->thresholds->value[THRESHOLD_DOMINATING] * traits->communication)
        return;
    const bool polls = is_poll(traits->tree->paths[path].name);
    text_addf(&text, polls ? "Ranks poll with %s: " : "%s dominates communication: ",
              traits->tree->paths[path].name);
    add_mean(traits, &text, most);
    text_addf(&text, ", which is %s %% of the time in communication%s.",
              format_percent(percent, most, traits->communication),
              polls ? ": they wait for messages" : "");
    add_trait(
        traits,
        &(struct trait){RUN_DOMINATING, most, gain_of(traits, most), 1, path, SUMMARY_NONE},
        &text);
}

void properties_find(const struct scope *scope, const struct path_tree *tree, long double wall,
                     long double rest, bool scarce, const struct thresholds *thresholds,
                     struct run_findings *found)
{
    struct traits traits = {.scarce = scarce,
                            .scope = scope,
                            .tree = tree,
                            .thresholds = thresholds,
                            .count = scope->selection->rank_count,
                            .wall = wall,
                            .rest = rest > 0 ? rest : 0,
                            .found = found};
    traits.statements = allocate(tree->count, sizeof *traits.statements);
    traits.processes = allocate(traits.count, sizeof *traits.processes);
    count(&traits);
    find_dominating(&traits);
    find_frequent(&traits);
    find_big(&traits);
    find_uneven(&traits);
    find_master(&traits);
    free(traits.processes);
    free(traits.statements);
}
