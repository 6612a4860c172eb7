/* See findings_gains.h. */
#include "findings/findings_gains.h"

#include "base/base.h"
#include "findings/findings.h"
#include "print/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char balance[] = "balance ", zero_wait[] = "zero-wait ";

struct gains gains_read(const struct path_tree *tree)
{
    struct gains gains = {.tree = tree};
    char key[24];
    const char *fact, *of = summary_fact(tree->summary, "gain.of");
    const double all = of ? strtod(of, NULL) : 0;
    size_t room = 0;
    while (snprintf(key, sizeof key, "gain.%zu", gains.count + 1) > 0 &&
           (fact = summary_fact(tree->summary, key)) != NULL) {
        char *question;
        const double seconds = strtod(fact, &question);
        if (question == fact || *question != ' ' || !isfinite(seconds) || seconds <= 0)
            break;
        gains.list = grow_list(gains.list, gains.count, &room, sizeof *gains.list);
        gains.list[gains.count++] =
            (struct gain){seconds, all > 0 ? seconds / all : 0, question + 1};
    }
    return gains;
}

void gains_free(struct gains *gains)
{
    free(gains->list);
    *gains = (struct gains){0};
}

/* What a finding is about, as far as it matters here. */
struct subject {
    const struct path_tree *tree;
    uint32_t path;         /* SUMMARY_NONE: none */
    const char *phase;     /* whose iterations it is about; NULL: the whole run */
    bool in_mpi;           /* it is about communication */
    bool compares_ranks;   /* it is about how ranks differ */
    const uint32_t *ranks; /* that it names */
    size_t rank_count;
    const struct range *iterations; /* that stand out */
    size_t range_count;
};

static bool is_metric_below(const struct summary *summary, uint32_t metric, const char *name)
{
    while (metric != SUMMARY_NONE && strcmp(summary->metrics[metric].name, name) != 0)
        metric = summary->metrics[metric].parent;
    return metric != SUMMARY_NONE;
}

/* Whether TEXT is PHASE:N, and N one of the iterations that stand out. */
static bool is_iteration(const struct subject *subject, const char *text)
{
    const char *colon = strrchr(text, ':');
    char *end;
    if (!colon || !subject->phase || strlen(subject->phase) != (size_t)(colon - text) ||
        strncmp(text, subject->phase, (size_t)(colon - text)) != 0)
        return false;
    const uint64_t number = strtoull(colon + 1, &end, 10);
    if (end == colon + 1 || *end != '\0')
        return false;
    for (size_t i = 0; i < subject->range_count; i++)
        if (number >= subject->iterations[i].first && number <= subject->iterations[i].last)
            return true;
    return false;
}

/* Whether the path is in REGION; one that is around the iterations says nothing of them. */
static bool is_in_region(const struct subject *subject, const char *region)
{
    const struct path_tree *tree = subject->tree;
    for (uint32_t at = subject->path; at != SUMMARY_NONE && at != 0;
         at = tree->paths[at].parent) {
        struct text shown = {0};
        text_add_escaped(&shown, tree->paths[at].name);
        const bool is_it = strcmp(text_string(&shown), region) == 0;
        text_free(&shown);
        if (is_it)
            return true;
        if (subject->phase && strcmp(tree->paths[at].name, subject->phase) == 0)
            return false;
    }
    return false;
}

static bool is_of_balance(const struct subject *subject, const char *where)
{
    if (subject->in_mpi)
        return false;
    if (subject->compares_ranks &&
        (strcmp(where, "iterations") == 0 || subject->path == SUMMARY_NONE))
        return true;
    return is_iteration(subject, where) || is_in_region(subject, where);
}

/* Cuts "@RANK" from WHERE; SUMMARY_NONE if there is none. */
static uint32_t cut_rank(char *where)
{
    char *at = strrchr(where, '@'), *end;
    if (!at || at[1] < '0' || at[1] > '9')
        return SUMMARY_NONE;
    const unsigned long rank = strtoul(at + 1, &end, 10);
    if (*end || rank >= SUMMARY_NONE)
        return SUMMARY_NONE;
    *at = '\0';
    return (uint32_t)rank;
}

static bool names_rank(const struct subject *subject, uint32_t rank)
{
    if (rank == SUMMARY_NONE || subject->rank_count == 0)
        return true;
    for (size_t i = 0; i < subject->rank_count; i++)
        if (subject->ranks[i] == rank)
            return true;
    return false;
}

/* Whether the path is one of those that WHERE means, or has one of them below it. */
static bool is_on_path(const struct subject *subject, const char *where)
{
    const struct path_tree *tree = subject->tree;
    struct error ignored;
    size_t count;
    bool found = false;
    bool *nodes = callpath_find(tree, where, &count, &ignored);
    for (uint32_t i = 0; nodes && i < tree->summary->node_count && !found; i++)
        for (uint32_t at = tree->of_node[i]; nodes[i] && at != SUMMARY_NONE && !found;
             at = tree->paths[at].parent)
            found = at == subject->path;
    free(nodes);
    return found;
}

static bool is_of_wait(const struct subject *subject, const char *where)
{
    if (!subject->in_mpi || subject->path == SUMMARY_NONE || subject->path == 0)
        return false;
    char *path = strdup(where);
    if (!path)
        out_of_memory();
    const bool is_it = names_rank(subject, cut_rank(path)) && is_on_path(subject, path);
    free(path);
    return is_it;
}

static const struct gain *largest(const struct gains *gains, const struct subject *subject)
{
    for (size_t i = 0; i < gains->count; i++) {
        const char *question = gains->list[i].question;
        if ((strncmp(question, balance, sizeof balance - 1) == 0 &&
             is_of_balance(subject, question + sizeof balance - 1)) ||
            (strncmp(question, zero_wait, sizeof zero_wait - 1) == 0 &&
             is_of_wait(subject, question + sizeof zero_wait - 1)))
            return &gains->list[i];
    }
    return NULL;
}

const struct gain *gains_of_finding(const struct gains *gains, const struct finding *finding)
{
    static const bool compares_ranks[FINDING_KINDS] = {[FINDING_SLOW_RANKS] = true,
                                                       [FINDING_MOVING_RANK] = true,
                                                       [FINDING_IMBALANCE] = true,
                                                       [FINDING_GROWING_IMBALANCE] = true,
                                                       [FINDING_IDLE_RANKS] = true};
    const struct summary *summary = gains->tree->summary;
    const bool has_cause = finding->cause.metric != SUMMARY_NONE;
    if (has_cause && finding->cause.metric == summary_metric(summary, "preempted"))
        return NULL;
    const struct subject subject = {
        .tree = gains->tree,
        .path = has_cause ? finding->cause.path : SUMMARY_NONE,
        .phase = summary->phases[finding->phase].name,
        .in_mpi = is_metric_below(summary, has_cause ? finding->cause.metric : finding->metric,
                                  "mpi"),
        .compares_ranks = compares_ranks[finding->kind],
        .ranks = finding->ranks,
        .rank_count = finding->rank_count,
        .iterations = finding->iterations,
        .range_count = finding->range_count};
    return largest(gains, &subject);
}

const struct gain *gains_of_run_finding(const struct gains *gains,
                                        const struct run_finding *finding)
{
    static const bool in_mpi[RUN_FINDING_KINDS] = {
        [RUN_SERIALISATION] = true,       [RUN_TRANSFER] = true, [RUN_COMMUNICATION] = true,
        [RUN_DOMINATING] = true,          [RUN_FREQUENT] = true, [RUN_BIG_MESSAGES] = true,
        [RUN_UNEVEN_COMMUNICATION] = true};
    const struct subject subject = {.tree = gains->tree,
                                    .path = finding->path,
                                    .in_mpi = in_mpi[finding->kind],
                                    .compares_ranks = finding->kind == RUN_UNEVEN};
    return largest(gains, &subject);
}

void gain_add_text(const struct gain *gain, struct text *text)
{
    char seconds[QUANTITY_SIZE], percent[QUANTITY_SIZE];
    text_addf(text, "%s would gain %s", gain->question,
              format_quantity(seconds, gain->seconds, "s"));
    if (gain->share > 0)
        text_addf(text, ", %s %% of what was traced", format_percent(percent, gain->share, 1));
}
