/* What must hold of every clustering.  See clustering_checks.h. */
#include "clustering_checks.h"

#include <float.h>
#include <math.h>

const struct method_name clustering_methods[CLUSTERING_METHODS] = {
    {"szebenyi", CLUSTERING_SZEBENYI},
    {"adaptive", CLUSTERING_ADAPTIVE},
};

static void note(struct checked *checked, bool right, const char *fault)
{
    if (!right && !checked->fault)
        checked->fault = fault;
}

/* ---- while iterations are added ---- */

static void check_account(struct checked *checked)
{
    note(checked, clustering_memory(checked->clustering) == checked->memory.held,
         "clustering_memory is not what was taken from the source");
}

bool checked_start(struct checked *checked, const struct clustering_config *config,
                   const struct counting_memory *failing)
{
    *checked = (struct checked){
        .config = *config,
        .history.condensed_count = config->condensed_count,
    };
    if (failing)
        checked->memory = *failing;
    checked->config.memory = counting_source(&checked->memory);
    checked->clustering = clustering_create(&checked->config);
    if (!checked->clustering) {
        note(checked, checked->memory.failures > 0, "it could not be created with memory left");
        return false;
    }
    check_account(checked);
    return true;
}

bool checked_add(struct checked *checked, const struct iteration_profile *profile)
{
    struct clustering *clustering = checked->clustering;
    uint64_t failures = checked->memory.failures, lost = clustering_lost(clustering);
    bool in_reach = checked->history.iterations < INT32_MAX;
    bool added = clustering_add(clustering, profile);
    history_add(&checked->history, profile);
    struct past_iteration *newest = &checked->history.past[checked->history.count - 1];
    newest->lost = clustering_lost(clustering) != lost;
    bool enough = checked->memory.failures == failures && in_reach;
    note(checked, added || !enough, "an iteration was refused with memory left");
    note(checked, !newest->lost || !enough, "an iteration was lost with memory left");
    note(checked, !added || !newest->lost, "an iteration was both added and lost");
    note(checked, clustering_lost(clustering) - lost <= 1, "more than one was lost at once");
    note(checked, clustering_iterations(clustering) == checked->history.iterations,
         "iterations are counted wrong");
    check_account(checked);
    return added;
}

void checked_skip(struct checked *checked, uint64_t count)
{
    uint64_t lost = clustering_lost(checked->clustering);
    clustering_skip(checked->clustering, count);
    history_skip(&checked->history, count);
    note(checked, clustering_lost(checked->clustering) == lost, "skipping loses");
    check_account(checked);
}

void checked_finish(struct checked *checked)
{
    uint64_t failures = checked->memory.failures, lost = clustering_lost(checked->clustering);
    clustering_finish(checked->clustering);
    checked->finished = checked->memory.failures == failures;
    note(checked, clustering_lost(checked->clustering) == lost, "finishing loses");
    check_account(checked);
}

/* ---- everything ---- */

static const struct past_iteration *past_of(const struct checked *checked, size_t i)
{
    return &checked->history.past[i];
}

static uint32_t cluster_of(const struct checked *checked, size_t i)
{
    return past_of(checked, i)->cluster;
}

/* Before anything else: the map is asked only once about every iteration. */
static void ask_map(struct checked *checked)
{
    for (size_t i = 0; i < checked->history.count; i++) {
        struct past_iteration *past = &checked->history.past[i];
        past->cluster = clustering_cluster_of(checked->clustering, past->number);
    }
}

static struct cluster_view view_of(const struct checked *checked, uint32_t n)
{
    struct cluster_view view;
    clustering_view(checked->clustering, n, &view);
    return view;
}

static void check_lost(struct checked *checked)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < checked->history.count; i++)
        lost += past_of(checked, i)->lost;
    note(checked, clustering_lost(checked->clustering) == lost, "lost ones are counted wrong");
}

static void check_map(struct checked *checked)
{
    uint32_t count = clustering_count(checked->clustering), newest = 0;
    for (size_t i = 0; i < checked->history.count; i++) {
        uint32_t n = cluster_of(checked, i);
        bool lost = past_of(checked, i)->lost;
        note(checked, lost == (n == UINT32_MAX), "the map does not agree on what is lost");
        if (n == UINT32_MAX)
            continue;
        note(checked, n < count, "the map names a cluster that there is not");
        note(checked, n <= newest, "clusters are not in the order of their first iterations");
        newest += n == newest;
    }
    note(checked, newest == count, "a cluster has no iteration");
}

/* Next to what was added, and the first and last of all. */
static void check_skipped(struct checked *checked)
{
    const struct history *history = &checked->history;
    uint64_t expected = 0;
    for (size_t i = 0; i <= history->count; i++) {
        uint64_t next = i < history->count ? past_of(checked, i)->number : history->iterations;
        bool gap = next > expected;
        note(checked,
             !gap || (clustering_cluster_of(checked->clustering, expected) == UINT32_MAX &&
                      clustering_cluster_of(checked->clustering, next - 1) == UINT32_MAX),
             "an iteration that was skipped has a cluster");
        expected = next + 1;
    }
    note(checked, clustering_cluster_of(checked->clustering, history->iterations) == UINT32_MAX,
         "an iteration to come has a cluster");
}

/* The iterations of one cluster. */
struct members {
    size_t *indices;
    size_t count;
};

static struct members members_of(const struct checked *checked, uint32_t n)
{
    struct members members = {malloc((checked->history.count + 1) * sizeof(size_t)), 0};
    if (!members.indices)
        abort();
    for (size_t i = 0; i < checked->history.count; i++)
        if (cluster_of(checked, i) == n)
            members.indices[members.count++] = i;
    return members;
}

static void check_mapped_sizes(struct checked *checked)
{
    for (uint32_t n = 0; n < clustering_count(checked->clustering); n++) {
        struct members mapped = members_of(checked, n);
        free(mapped.indices);
        note(checked, view_of(checked, n).size == mapped.count,
             "a cluster's size is not that of the map");
    }
}

/* The map plays no part in this. */
static void check_sizes(struct checked *checked)
{
    uint64_t members = 0;
    for (uint32_t n = 0; n < clustering_count(checked->clustering); n++)
        members += view_of(checked, n).size;
    note(checked, members == checked->history.count - clustering_lost(checked->clustering),
         "sizes do not add up to the iterations");
}

/* Whether the cells of VIEW are those of SUM; what a view does not have is 0. */
static bool same_cells(const struct cluster_view *view, const struct cell_sum *sum)
{
    size_t c = 0;
    for (size_t i = 0; i < sum->count; i++) {
        bool there = c < view->cell_count && view->cells[c] == sum->cells[i].cell;
        if ((there ? view->values[c] : 0) != sum->cells[i].value)
            return false;
        c += there;
    }
    return c == view->cell_count;
}

static void check_integers(struct checked *checked)
{
    for (uint32_t n = 0; n < clustering_count(checked->clustering); n++) {
        struct cluster_view view = view_of(checked, n);
        struct members members = members_of(checked, n);
        struct cell_sum sum = {0};
        int64_t wall_ns = 0;
        for (size_t i = 0; i < members.count; i++) {
            const struct iteration_profile *profile =
                &past_of(checked, members.indices[i])->profile;
            cell_sum_add(&sum, profile->cells, profile->values, profile->cell_count);
            wall_ns = wrapping_add(wall_ns, profile->wall_ns);
        }
        cell_sum_finish(&sum);
        for (size_t c = 1; c < view.cell_count; c++)
            note(checked, view.cells[c - 1] < view.cells[c], "cells are not ascending");
        note(checked, same_cells(&view, &sum), "a cluster is not the sum of its members");
        note(checked, view.wall_ns == wall_ns, "durations are not the sum of the members'");
        cell_sum_clear(&sum);
        free(members.indices);
    }
}

static int compare_paths(const void *path, const void *entry)
{
    const uint32_t a = *(const uint32_t *)path, b = ((const struct path_entry *)entry)->path;
    return a < b ? -1 : a > b;
}

/* In how many members of a cluster a call path occurred. */
static uint32_t occurrences(const struct checked *checked, const struct members *members,
                            uint32_t path)
{
    uint32_t count = 0;
    for (size_t i = 0; i < members->count; i++) {
        const struct iteration_profile *profile =
            &past_of(checked, members->indices[i])->profile;
        count += profile->path_count > 0 && bsearch(&path, profile->paths, profile->path_count,
                                                    sizeof *profile->paths, compare_paths);
    }
    return count;
}

/* Whether VIEW has all call paths of its members. */
static bool has_paths(const struct checked *checked, const struct cluster_view *view,
                      const struct members *members)
{
    uint64_t there = 0, counted = 0;
    for (size_t i = 0; i < members->count; i++)
        there += past_of(checked, members->indices[i])->profile.path_count;
    for (size_t p = 0; p < view->path_count; p++)
        counted += view->path_counts ? view->path_counts[p] : view->size;
    return there == counted;
}

/* Presence is exact, or unknown where memory ran out. */
static void check_presence(struct checked *checked)
{
    for (uint32_t n = 0; n < clustering_count(checked->clustering); n++) {
        struct cluster_view view = view_of(checked, n);
        struct members members = members_of(checked, n);
        note(checked, view.presence_known || checked->memory.failures > 0,
             "presence is unknown with memory left");
        for (size_t p = 0; p < view.path_count; p++) {
            note(checked, p == 0 || view.paths[p - 1] < view.paths[p],
                 "call paths are not ascending");
            note(checked,
                 occurrences(checked, &members, view.paths[p]) ==
                     (view.path_counts ? view.path_counts[p] : view.size),
                 "a call path did not occur as often as is said");
        }
        note(checked, !view.presence_known || has_paths(checked, &view, &members),
             "call paths are missing");
        free(members.indices);
    }
}

/* The map plays no part in this. */
static void check_totals(struct checked *checked)
{
    struct cell_sum given = {0}, kept = {0};
    int64_t given_ns = 0, kept_ns = 0;
    for (size_t i = 0; i < checked->history.count; i++) {
        const struct iteration_profile *profile = &past_of(checked, i)->profile;
        if (past_of(checked, i)->lost)
            continue;
        cell_sum_add(&given, profile->cells, profile->values, profile->cell_count);
        given_ns = wrapping_add(given_ns, profile->wall_ns);
    }
    for (uint32_t n = 0; n < clustering_count(checked->clustering); n++) {
        struct cluster_view view = view_of(checked, n);
        cell_sum_add(&kept, view.cells, view.values, view.cell_count);
        kept_ns = wrapping_add(kept_ns, view.wall_ns);
    }
    cell_sum_finish(&given);
    cell_sum_finish(&kept);
    size_t k = 0;
    for (size_t g = 0; g < given.count; g++) {
        bool there = k < kept.count && kept.cells[k].cell == given.cells[g].cell;
        note(checked, (there ? kept.cells[k].value : 0) == given.cells[g].value,
             "the clusters do not add up to the iterations");
        k += there;
    }
    note(checked, k == kept.count, "the clusters have cells that no iteration has");
    note(checked, given_ns == kept_ns, "durations do not add up to those of the iterations");
    cell_sum_clear(&given);
    cell_sum_clear(&kept);
}

/* One condensed value over the members of one cluster. */
struct moments {
    double members, sum, absolute, mean, spread;
};

static struct moments moments_of(const struct checked *checked, const struct members *members,
                                 uint32_t k)
{
    struct moments m = {.members = (double)members->count};
    for (size_t i = 0; i < members->count; i++) {
        double value = history_value(&checked->history, members->indices[i], k);
        m.sum += value;
        m.absolute += fabs(value);
    }
    m.mean = m.sum / m.members;
    for (size_t i = 0; i < members->count; i++) {
        double distance = history_value(&checked->history, members->indices[i], k) - m.mean;
        m.spread += distance * distance;
    }
    return m;
}

/* Means are wrong by half a bit of the largest sum at most for each addition. */
static double doubt_of_mean(const struct moments *m)
{
    return 4 * DBL_EPSILON * m->absolute + DBL_MIN;
}

/*
 * A deviation of a mean by d moves a spread by n d^2, and by 2 d times the deviations from it.
 * Squares of less than DBL_MIN are off by DBL_TRUE_MIN / 2 each, which each of less than n
 * mergers multiplies by n / 4 at most.
 */
static double doubt_of_spread(const struct moments *m)
{
    double doubt = doubt_of_mean(m), n = m->members;
    return 1e-9 * m->spread + 4 * doubt * sqrt(n * m->spread) + 4 * n * n * doubt * doubt +
           n * n * DBL_TRUE_MIN;
}

static void check_condensed(struct checked *checked)
{
    for (uint32_t n = 0; n < clustering_count(checked->clustering); n++) {
        struct cluster_view view = view_of(checked, n);
        struct members members = members_of(checked, n);
        for (uint32_t k = 0; k < checked->config.condensed_count; k++) {
            struct moments m = moments_of(checked, &members, k);
            note(checked, fabs(view.means[k] - m.mean) <= doubt_of_mean(&m),
                 "means are not those of the members");
            note(checked,
                 view.spreads[k] >= 0 &&
                     fabs(view.spreads[k] - m.spread) <= doubt_of_spread(&m),
                 "spreads are not those of the members");
        }
        free(members.indices);
    }
}

static void check_maxima(struct checked *checked)
{
    const double *maxima = clustering_maxima(checked->clustering);
    for (uint32_t k = 0; k < checked->config.condensed_count; k++) {
        double maximum = 0;
        for (size_t i = 0; i < checked->history.count; i++)
            maximum = fmax(maximum, fabs(history_value(&checked->history, i, k)));
        note(checked, maxima[k] == maximum, "a maximum is wrong");
    }
}

/* The largest value of CELL, and the first iteration that had it. */
static struct cell_largest largest_of(const struct checked *checked, uint32_t cell)
{
    struct cell_largest largest = {.cell = cell};
    for (size_t i = 0; i < checked->history.count; i++) {
        const struct past_iteration *past = past_of(checked, i);
        for (size_t c = 0; c < past->profile.cell_count; c++)
            if (past->profile.cells[c] == cell && past->profile.values[c] > largest.value) {
                largest.value = past->profile.values[c];
                largest.iteration = (uint32_t)past->number;
            }
    }
    return largest;
}

/* Unless memory or its bound ran out, or numbers did, largest values are exact. */
static void check_largest(struct checked *checked)
{
    const struct clustering *clustering = checked->clustering;
    if (checked->memory.failures > 0 || checked->config.map_bytes > 0 ||
        checked->history.iterations > UINT32_MAX)
        return;
    note(checked, !clustering_lacks_cells(clustering), "cells are lacking with memory left");
    for (uint32_t i = 0; i < clustering_largest_count(clustering); i++) {
        const struct cell_largest *said = clustering_largest(clustering, i);
        struct cell_largest true_one = largest_of(checked, said->cell);
        note(checked,
             said->value == true_one.value &&
                 (said->value == 0 || said->iteration == true_one.iteration),
             "a largest value is wrong");
    }
}

/* Of classes that were united only the numbers can be checked here. */
static void check_similar(struct checked *checked)
{
    const uint32_t classes = clustering_classes(checked->clustering);
    bool *seen = calloc(classes + 1, sizeof *seen);
    if (!seen)
        abort();
    for (uint32_t n = 0; n < clustering_count(checked->clustering); n++) {
        const uint32_t class_id = view_of(checked, n).class_id;
        note(checked, class_id < classes, "a cluster is of a class that is not there");
        seen[class_id < classes ? class_id : classes] = true;
    }
    for (uint32_t c = 0; c < classes; c++)
        note(checked, seen[c], "a class has no cluster");
    free(seen);
}

/* Classes of what was not lost, numbered by first appearance. */
static void check_classes(struct checked *checked)
{
    const struct clustering *clustering = checked->clustering;
    enum equivalence mode = clustering_equivalence(clustering);
    struct members first = {malloc((checked->history.count + 1) * sizeof(size_t)), 0};
    if (!first.indices)
        abort();
    note(checked,
         mode == checked->config.equivalence ||
             (checked->config.equivalence == EQUIVALENCE_AUTO &&
              (mode == EQUIVALENCE_HYBRID || mode == EQUIVALENCE_COMMUNICATION ||
               mode == EQUIVALENCE_SIMILAR || mode == EQUIVALENCE_NONE)) ||
             (checked->config.equivalence == EQUIVALENCE_SIMILAR && mode == EQUIVALENCE_NONE),
         "another equivalence is in force than was asked for");
    if (mode == EQUIVALENCE_SIMILAR) {
        free(first.indices);
        check_similar(checked);
        return;
    }
    for (size_t i = 0; i < checked->history.count; i++) {
        const struct past_iteration *past = past_of(checked, i);
        size_t class_id = 0;
        if (past->cluster == UINT32_MAX)
            continue;
        while (class_id < first.count &&
               !history_alike(mode, &past->profile,
                              &past_of(checked, first.indices[class_id])->profile))
            class_id++;
        if (class_id == first.count)
            first.indices[first.count++] = i;
        note(checked, view_of(checked, past->cluster).class_id == class_id,
             "an iteration is in a cluster of another class");
    }
    note(checked, clustering_classes(clustering) == first.count, "classes are counted wrong");
    free(first.indices);
}

/* Clusters while iterations are added, for MAXIMUM in the end. */
static uint32_t most_so_far(uint32_t maximum)
{
    return maximum < 60 ? 64 : maximum + 4;
}

static void check_count(struct checked *checked)
{
    uint32_t maximum = checked->config.max_clusters;
    uint32_t count = clustering_count(checked->clustering);
    if (maximum == CLUSTERS_AUTO)
        maximum = CLUSTERS_AUTO_KEPT;
    if (maximum > 0 && !checked->finished && checked->config.method != CLUSTERING_SZEBENYI)
        maximum = most_so_far(maximum);
    const bool classes_force = checked->config.equivalence != EQUIVALENCE_AUTO &&
                               checked->config.equivalence != EQUIVALENCE_SIMILAR &&
                               count == clustering_classes(checked->clustering);
    note(checked, maximum == 0 || count <= maximum || classes_force,
         "there are more clusters than allowed and than classes force");
}

/* Where the map had no room for all iterations those by the map cannot be made. */
static const struct {
    void (*check)(struct checked *);
    bool by_map;
} all_checks[] = {{ask_map, false},       {check_account, false},     {check_lost, false},
                  {check_map, true},      {check_skipped, true},      {check_sizes, false},
                  {check_totals, false},  {check_mapped_sizes, true}, {check_integers, true},
                  {check_presence, true}, {check_maxima, false},      {check_classes, true},
                  {check_count, false},   {check_condensed, true},    {check_largest, false}};

void checked_check(struct checked *checked)
{
    /* Later checks take for granted what earlier ones have proved. */
    bool mapped = clustering_unmapped(checked->clustering) == 0;
    for (size_t i = 0; i < sizeof(all_checks) / sizeof(all_checks[0]) && !checked->fault; i++)
        if (mapped || !all_checks[i].by_map)
            all_checks[i].check(checked);
}

/* ---- determinism ---- */

static bool same_array(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static bool same_views(const struct cluster_view *a, const struct cluster_view *b,
                       const struct clustering_config *config)
{
    return a->size == b->size && a->class_id == b->class_id && a->wall_ns == b->wall_ns &&
           a->cell_count == b->cell_count && a->path_count == b->path_count &&
           same_array(a->paths, b->paths, a->path_count * sizeof(*a->paths)) &&
           same_array(a->cells, b->cells, a->cell_count * sizeof(*a->cells)) &&
           same_array(a->values, b->values, a->cell_count * sizeof(*a->values)) &&
           same_array(a->means, b->means, config->condensed_count * sizeof(*a->means)) &&
           same_array(a->spreads, b->spreads, config->condensed_count * sizeof(*a->spreads));
}

static bool same_facts(const struct clustering *a, const struct clustering *b)
{
    return clustering_iterations(a) == clustering_iterations(b) &&
           clustering_lost(a) == clustering_lost(b) &&
           clustering_count(a) == clustering_count(b) &&
           clustering_classes(a) == clustering_classes(b) &&
           clustering_equivalence(a) == clustering_equivalence(b) &&
           clustering_memory(a) == clustering_memory(b);
}

void checked_compare(struct checked *checked, const struct checked *other)
{
    uint32_t condensed_count = checked->config.condensed_count;
    bool same = same_facts(checked->clustering, other->clustering);
    for (uint32_t n = 0; same && n < clustering_count(checked->clustering); n++) {
        struct cluster_view a = view_of(checked, n), b = view_of(other, n);
        same = same_views(&a, &b, &checked->config);
    }
    for (size_t i = 0; same && i < checked->history.count; i++)
        same = clustering_cluster_of(checked->clustering, past_of(checked, i)->number) ==
               clustering_cluster_of(other->clustering, past_of(other, i)->number);
    note(checked,
         same &&
             same_array(clustering_maxima(checked->clustering),
                        clustering_maxima(other->clustering), condensed_count * sizeof(double)),
         "the same input does not give the same clusters");
}

const char *checked_end(struct checked *checked)
{
    clustering_destroy(checked->clustering);
    history_clear(&checked->history);
    note(checked, checked->memory.held == 0, "memory was not given back");
    note(checked, !checked->memory.wrong_size, "memory came back with another size");
    return checked->fault;
}
