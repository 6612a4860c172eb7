/* Which functions to hide, and the filter that does.  See score.h. */
#include "score/score.h"

#include "base/base.h"
#include "common/filter.h"
#include "score/score_sums.h"

#include <stdlib.h>
#include <string.h>

/*
 * Parts of the share that is asked for: functions are hidden until the rest costs less than
 * HIDE_TO of it, then those that matter least are taken back as long as it costs less than
 * KEEP_TO.  What is left between is for the next run, which is not quite like this one.
 */
#define HIDE_TO 0.8L
#define KEEP_TO 0.9L

/* The share of the time of all threads, and of the worst, with what is hidden now. */
static struct score_share share_of(const struct score *score)
{
    const struct summary *summary = score->summary;
    struct score_share share = {.most = -1, .most_rank = SUMMARY_NONE};
    const long double hidden_ns =
        score->visit_ns < SCORE_HIDDEN_NS ? score->visit_ns : SCORE_HIDDEN_NS;
    long double cost_ns = 0, time_ns = 0;
    for (size_t l = 0; l < summary->location_count; l++) {
        const struct location *location = &summary->locations[l];
        const struct thread_visits visits = score_thread_visits(score, location);
        const long double own_ns = (visits.kept + visits.nameless) * score->visit_ns +
                                   visits.hidden * hidden_ns + visits.walked * SCORE_WALK_NS;
        const long double saved_ns =
            visits.hidden * (score->visit_ns - hidden_ns) - visits.walked * SCORE_WALK_NS;
        long double left_ns = (long double)location->wall_ns - saved_ns;
        /* A cost that is assumed may be more than there was time for. */
        left_ns = left_ns > own_ns ? left_ns : own_ns;
        const long double own = left_ns > 0 ? own_ns / left_ns : 0;
        if (own > share.most) {
            share.most = own;
            share.most_rank = location->rank;
        }
        cost_ns += own_ns;
        time_ns += left_ns;
    }
    share.most = share.most > 0 ? share.most : 0;
    share.all = time_ns > 0 ? cost_ns / time_ns : 0;
    return share;
}

void score_share_now(struct score *score)
{
    score->now = score->hidden = share_of(score);
    /* There, too, `share_of` has all of the time as the cost. */
    score->impossible = score->now.most >= 1;
}

static int compare_visits(const struct score_function *left, const struct score_function *right)
{
    if (left->sums.visits != right->sums.visits)
        return left->sums.visits < right->sums.visits ? -1 : 1;
    return 0;
}

/* The order in which functions are hidden. */
static int least_loss_first(const void *a, const void *b)
{
    const struct score_function *left = *(struct score_function *const *)a,
                                *right = *(struct score_function *const *)b;
    if (left->type != right->type)
        return left->type == SCORE_USR ? -1 : 1;
    /* time / visits, without dividing by what may be 0 */
    const long double l = left->sums.time_s * right->sums.visits;
    const long double r = right->sums.time_s * left->sums.visits;
    if (l != r)
        return l < r ? -1 : 1;
    const int visits = compare_visits(right, left);
    return visits ? visits : strcmp(left->name, right->name);
}

/* The order in which they are taken back. */
static int least_cost_first(const void *a, const void *b)
{
    const struct score_function *left = *(struct score_function *const *)a,
                                *right = *(struct score_function *const *)b;
    const int visits = compare_visits(left, right);
    return visits ? visits : strcmp(left->name, right->name);
}

/* Hides the functions of LIST from FIRST up to COUNT, and no others. */
static struct score_share hide(const struct score *score, struct score_function **list,
                               size_t first, size_t count)
{
    for (size_t i = 0; i < score->count; i++)
        score->functions[i].hidden = false;
    for (size_t i = first; i < count; i++)
        list[i]->hidden = true;
    return share_of(score);
}

/* How many functions of LIST have to be hidden so that the rest costs less than SHARE. */
static size_t count_to_hide(const struct score *score, struct score_function **list,
                            size_t count, long double share)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (hide(score, list, 0, middle).most <= share)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* How many functions of LIST, which are all hidden, can be shown without costing SHARE. */
static size_t count_to_show(const struct score *score, struct score_function **list,
                            size_t count, long double share)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high + 1) / 2;
        if (hide(score, list, middle, count).most <= share)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void score_choose(struct score *score, double share)
{
    struct score_function **list = allocate(score->count + 1, sizeof *list);
    size_t count = 0, hidden = 0, shown = 0;
    for (size_t i = 0; i < score->count; i++)
        if (score_is_instrumented(&score->functions[i]) && score->functions[i].sums.visits > 0)
            list[count++] = &score->functions[i];
    if (score->now.most > (long double)share) {
        qsort(list, count, sizeof *list, least_loss_first);
        hidden = count_to_hide(score, list, count, HIDE_TO * (long double)share);
        qsort(list, hidden, sizeof *list, least_cost_first);
        shown = count_to_show(score, list, hidden, KEEP_TO * (long double)share);
    }
    score->hidden = hide(score, list, shown, hidden);
    /* Where functions that are kept are called by hidden ones, hiding more may cost more. */
    if (score->hidden.most > (long double)share) {
        hidden = count;
        shown = 0;
        score->hidden = hide(score, list, shown, hidden);
    }
    score->hidden_count = hidden - shown;
    score->reached = score->hidden.most <= (long double)share;
    free(list);
}

static void write_rule(const struct score_function *function, FILE *stream)
{
    const size_t size = 2 * strlen(function->name) + 2;
    char *pattern = allocate(size, 1), visits[QUANTITY_SIZE], time[QUANTITY_SIZE];
    filter_quote(pattern, size, function->name);
    fprintf(stream, "    %s\n        # %s, %s visits", pattern, score_type_name(function->type),
            format_quantity(visits, function->sums.visits, ""));
    if (function->sums.time_s > 0)
        fprintf(stream, ", %s", format_quantity(time, function->sums.time_s, "s"));
    fputc('\n', stream);
    free(pattern);
}

void score_write_filter(const struct score *score, double share, FILE *stream)
{
    struct text text = {0};
    char percent[QUANTITY_SIZE];
    text_add(&text,
             "# Functions that cost more to measure than they are worth, by tsprof score ");
    text_add_escaped(&text, base_name(score->summary->path));
    text_addf(&text, ":\n# of %s %% of the time", format_percent(percent, score->now.most, 1));
    text_addf(&text, " %s %% are left", format_percent(percent, score->hidden.most, 1));
    text_addf(&text, ", for --share %g%%.\nSCOREP_REGION_NAMES_BEGIN\n", 100 * share);
    fputs(text_string(&text), stream);
    text_free(&text);
    if (score->hidden_count > 0)
        fputs("  EXCLUDE\n", stream);
    for (size_t i = 0; i < score->count; i++)
        if (score->functions[i].hidden)
            write_rule(&score->functions[i], stream);
    fputs("SCOREP_REGION_NAMES_END\n", stream);
}
