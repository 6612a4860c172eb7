/* A second implementation of clustering.  See clustering_model.h. */
#include "clustering_model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- clusters, from the list of what is in them ---- */

bool model_is_cluster(const struct model *model, uint32_t iteration)
{
    return model->cluster_of[iteration] == iteration;
}

uint32_t model_clusters(const struct model *model)
{
    uint32_t clusters = 0;
    for (uint32_t i = 0; i < model->count; i++)
        clusters += model_is_cluster(model, i);
    return clusters;
}

uint32_t model_size(const struct model *model, uint32_t cluster)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < model->count; i++)
        size += model->cluster_of[i] == cluster;
    return size;
}

int64_t model_wall_ns(const struct model *model, uint32_t cluster)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < model->count; i++)
        if (model->cluster_of[i] == cluster)
            sum = wrapping_add(sum, model->history->past[i].profile.wall_ns);
    return sum;
}

double model_sum(const struct model *model, uint32_t cluster, uint32_t k)
{
    double sum = 0;
    for (uint32_t i = 0; i < model->count; i++)
        if (model->cluster_of[i] == cluster)
            sum += history_value(model->history, i, k);
    return sum;
}

double model_absolute_sum(const struct model *model, uint32_t cluster, uint32_t k)
{
    double sum = 0;
    for (uint32_t i = 0; i < model->count; i++)
        if (model->cluster_of[i] == cluster)
            sum += fabs(history_value(model->history, i, k));
    return sum;
}

static double mean_of(const struct model *model, uint32_t cluster, uint32_t k)
{
    return model_sum(model, cluster, k) / model_size(model, cluster);
}

/* ---- the published method ---- */

/* One over the average of all iterations so far; nothing for what is 0 on average, or so large
 * that its sum is out of range. */
static bool weigh_by_average(struct model *model)
{
    for (uint32_t k = 0; k < model->history->condensed_count; k++) {
        double sum = 0;
        for (uint32_t i = 0; i < model->count; i++)
            sum += history_value(model->history, i, k);
        double weight = model->count / fabs(sum);
        model->weights[k] = isfinite(weight) ? weight : 0;
    }
    return false;
}

/* Equation 4.1. */
static double size_factor(double n)
{
    return n <= 12 ? 0.4 + 0.05 * n : sqrt(0.4 + 0.05 * n);
}

/* Of the mean of a cluster: every addition may be wrong by half a bit of the largest sum. */
static double doubt_of_mean(const struct model *model, uint32_t cluster, uint32_t k)
{
    return 2 * DBL_EPSILON * model_absolute_sum(model, cluster, k);
}

/* A sum by the factor, kept as a float; what is out of range is as far away as can be. */
static struct model_cost bounded(struct model_cost of, double factor)
{
    double cost = of.cost * factor;
    of.cost = cost <= (double)FLT_MAX ? (double)(float)cost : (double)FLT_MAX;
    of.doubt = factor * of.doubt + (double)FLT_EPSILON * of.cost + (double)FLT_MIN;
    if (!isfinite(of.doubt))
        of.doubt = INFINITY;
    return of;
}

static struct model_cost weighted_distance(const struct model *model, uint32_t a, uint32_t b)
{
    struct model_cost of = {0, 0};
    for (uint32_t k = 0; k < model->history->condensed_count; k++) {
        double weight = model->weights[k];
        if (weight == 0)
            continue;
        of.cost += fabs(mean_of(model, a, k) - mean_of(model, b, k)) * weight;
        of.doubt += (doubt_of_mean(model, a, k) + doubt_of_mean(model, b, k)) * weight;
    }
    double factor = size_factor((double)model_size(model, a) + model_size(model, b));
    return bounded(of, factor);
}

static uint32_t no_more(uint32_t max_clusters)
{
    return max_clusters;
}

/* ---- the adaptive method ---- */

static uint32_t some_more(uint32_t max_clusters)
{
    return max_clusters < 60 ? 64 : max_clusters + 4;
}

/* The value of CELL in an iteration. */
static int64_t value_in(const struct model *model, uint32_t iteration, uint32_t cell)
{
    const struct iteration_profile *profile = &model->history->past[iteration].profile;
    for (size_t c = 0; c < profile->cell_count; c++)
        if (profile->cells[c] == cell)
            return profile->values[c];
    return 0;
}

static int64_t cell_sum(const struct model *model, uint32_t cluster, uint32_t cell)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < model->count; i++)
        if (model->cluster_of[i] == cluster)
            sum = wrapping_add(sum, value_in(model, i, cell));
    return sum;
}

/* What is less than a tiny part of the mean square is rounding. */
static double variance(const struct model *model, double sum, double squares)
{
    double mean = sum / model->count, square = squares / model->count;
    double found = square - mean * mean;
    return found > 1e-11 * square ? found : 0;
}

static double total_variance(const struct model *model, uint32_t k)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < model->count; i++) {
        double value = history_value(model->history, i, k);
        sum += value;
        squares += value * value;
    }
    return variance(model, sum, squares);
}

static double cell_variance(const struct model *model, uint32_t cell)
{
    return variance(model, model->cell_sums[cell], model->cell_squares[cell]);
}

static struct cell_role role_of(const struct model *model, uint32_t cell)
{
    return model->config.role(model->config.role_context, cell);
}

/* The largest magnitude of any compared cell of METRIC. */
static double top_of(const struct model *model, uint32_t metric)
{
    return model->tops[metric];
}

/* That, times the root of how many compared cells of METRIC an iteration has. */
static double scale_of(const struct model *model, uint32_t metric)
{
    return top_of(model, metric) * sqrt((double)model->occurred[metric] / model->count);
}

/* Adds the cells of the newest iteration to what is known of all. */
static void add_cells(struct model *model)
{
    const struct iteration_profile *profile = &model->history->past[model->count - 1].profile;
    for (size_t c = 0; model->config.role && c < profile->cell_count; c++) {
        const struct cell_role role = role_of(model, profile->cells[c]);
        const double value = (double)profile->values[c];
        model->cell_sums[profile->cells[c]] += value;
        model->cell_squares[profile->cells[c]] += value * value;
        if (role.compared) {
            model->tops[role.metric] = fmax(model->tops[role.metric], fabs(value));
            model->occurred[role.metric]++;
        }
    }
}

/* The variance of CELL, scaled. */
static double score_of(const struct model *model, uint32_t cell)
{
    double scale = scale_of(model, role_of(model, cell).metric);
    double score = cell_variance(model, cell) / (scale * scale);
    return isfinite(score) ? score : 0;
}

/* Takes the best cell that is not among the features yet. */
static bool take_best(const double *scores, bool *taken, struct model_features *features)
{
    uint32_t best = MODEL_CELLS;
    for (uint32_t cell = 0; cell < MODEL_CELLS; cell++)
        if (!taken[cell] && scores[cell] >= 0 &&
            (best == MODEL_CELLS || scores[cell] > scores[best]))
            best = cell;
    if (best == MODEL_CELLS || features->count == 48)
        return false;
    taken[best] = true;
    features->cells[features->count++] = best;
    return true;
}

static int ascending(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return one < other ? -1 : one > other;
}

/* The variances of all compared cells but the features. */
static double others_variance(const struct model *model, const struct model_features *features)
{
    double sum = 0;
    for (uint32_t cell = 0; cell < MODEL_CELLS; cell++) {
        bool counts = model->config.role && role_of(model, cell).compared;
        for (uint32_t f = 0; f < features->count; f++)
            counts &= features->cells[f] != cell;
        sum += counts ? score_of(model, cell) : 0;
    }
    return sum;
}

/* The 48 cells that vary most, of equal ones those with the lowest numbers. */
static void choose(struct model *model)
{
    double scores[MODEL_CELLS];
    bool taken[MODEL_CELLS] = {false};
    model->chosen.count = 0;
    model->next_choice = model->count + model->count / 4 + 1;
    for (uint32_t cell = 0; cell < MODEL_CELLS; cell++) {
        bool varies = model->config.role && role_of(model, cell).compared &&
                      cell_variance(model, cell) > 0;
        scores[cell] = varies ? score_of(model, cell) : -1;
    }
    while (take_best(scores, taken, &model->chosen))
        continue;
    qsort(model->chosen.cells, model->chosen.count, sizeof(uint32_t), ascending);
    model->chosen.others = others_variance(model, &model->chosen);
}

static double features_variance(const struct model *model,
                                const struct model_features *features)
{
    double sum = 0;
    for (uint32_t f = 0; f < features->count; f++)
        sum += score_of(model, features->cells[f]);
    return sum;
}

static double largest(const struct model *model, uint32_t k)
{
    double most = 0;
    for (uint32_t i = 0; i < model->count; i++)
        most = fmax(most, fabs(history_value(model->history, i, k)));
    return most;
}

static double inverse(double value)
{
    return isfinite(1 / value) ? 1 / value : 0;
}

/* What the variances of features should be of those of the totals. */
static double share_of(const struct model *model, const struct model_features *features,
                       double found)
{
    if (!model->stock_taken)
        return 0.2;
    const double others = sqrt(model->features_left) * features->others;
    double share = model->totals_left * found / (model->features_left * found + others);
    return fmin(0.4, fmax(0.005, share));
}

/* By which the variances of all features, FOUND in all, become that share. */
static double factor_of(const struct model *model, const struct model_features *features,
                        double found)
{
    double totals = 0;
    for (uint32_t k = 0; k < model->history->condensed_count; k++) {
        double weight = inverse(largest(model, k));
        totals += total_variance(model, k) * weight * weight;
    }
    double factor = sqrt(share_of(model, features, found) * totals / found);
    return isfinite(factor) && factor > 0 ? factor : 1;
}

/* What is within clusters of what varies in all, per degree of freedom. */
static double left_of(const struct model *model, double within, double all)
{
    return within / (model->count - model_clusters(model)) / (all / (model->count - 1));
}

/* What is less than a tiny part of all squares is rounding. */
static double unless_rounding(double within, double squares)
{
    return within > 1e-11 * squares ? within : 0;
}

static double squares_within(const struct model *model, uint32_t k)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < model->count; i++) {
        const double value = history_value(model->history, i, k);
        squares += value * value;
        sum += pow(value - mean_of(model, model->cluster_of[i], k), 2);
    }
    return unless_rounding(sum, squares);
}

static double cell_squares_within(const struct model *model, uint32_t cell)
{
    double sum = 0;
    for (uint32_t i = 0; i < model->count; i++) {
        const uint32_t cluster = model->cluster_of[i];
        sum += pow((double)value_in(model, i, cell) -
                       (double)cell_sum(model, cluster, cell) / model_size(model, cluster),
                   2);
    }
    return unless_rounding(sum, model->cell_squares[cell]);
}

/* Before features are chosen again: what the clusters leave unexplained. */
static void take_stock(struct model *model)
{
    double within = 0, all = 0, cells_within = 0, cells_all = 0;
    if (!model->costs_wanted || model->method->method != CLUSTERING_ADAPTIVE ||
        model->count + 1 < model->next_choice || model->count == model_clusters(model))
        return;
    for (uint32_t k = 0; k < model->history->condensed_count; k++) {
        const double weight = inverse(largest(model, k)), varies = total_variance(model, k);
        within += varies > 0 ? squares_within(model, k) * weight * weight : 0;
        all += varies * model->count * weight * weight;
    }
    for (uint32_t f = 0; f < model->features.count; f++) {
        const uint32_t cell = model->features.cells[f];
        const double scale = scale_of(model, role_of(model, cell).metric);
        const double varies = cell_variance(model, cell);
        cells_within += varies > 0 ? cell_squares_within(model, cell) / (scale * scale) : 0;
        cells_all += varies * model->count / (scale * scale);
    }
    if (all <= 0 || cells_all <= 0)
        return;
    model->stock_taken = true;
    model->totals_left = left_of(model, within, all);
    model->features_left = left_of(model, cells_within, cells_all);
}

/* Whether anything is larger by more than a twentieth than what its weight was taken for. */
static bool has_outgrown(const struct model *model)
{
    for (uint32_t k = 0; k < model->history->condensed_count; k++) {
        double most = largest(model, k), weight = model->weights[k];
        if (weight == 0 ? inverse(most) != 0 : most * weight > 1.05)
            return true;
    }
    for (uint32_t f = 0; f < model->features.count; f++)
        if (top_of(model, role_of(model, model->features.cells[f]).metric) >
            1.05 * model->features.tops[f])
            return true;
    return false;
}

/* Whether the cells chosen last vary by a tenth more, or all count for something else now. */
static bool is_better(const struct model *model)
{
    double now = features_variance(model, &model->features);
    double found = features_variance(model, &model->chosen);
    double ratio = factor_of(model, &model->chosen, found) / model->factor;
    return found > 1.1 * now ||
           (found > 0 && (ratio * ratio > 1.25 || ratio * ratio < 1 / 1.25));
}

/* One over the largest value of a total, or over the scale of the cell's metric. */
static void take_weights(struct model *model)
{
    for (uint32_t k = 0; k < model->history->condensed_count; k++)
        model->weights[k] = inverse(largest(model, k));
    model->features = model->chosen;
    model->factor =
        factor_of(model, &model->features, features_variance(model, &model->features));
    for (uint32_t f = 0; f < model->features.count; f++) {
        const uint32_t metric = role_of(model, model->features.cells[f]).metric;
        model->features.tops[f] = top_of(model, metric);
        model->features.weights[f] = inverse(scale_of(model, metric));
    }
}

static bool weigh_by_maximum(struct model *model)
{
    bool better = false;
    if (!model->costs_wanted)
        return false;
    if (model->count >= model->next_choice) {
        choose(model);
        better = is_better(model);
    }
    if (!better && !has_outgrown(model))
        return false;
    take_weights(model);
    return true;
}

static struct model_cost added_squares(const struct model *model, uint32_t a, uint32_t b)
{
    struct model_cost of = {0, 0};
    double m = model_size(model, a), n = model_size(model, b);
    double factor = m * n / (m + n) + model->size_share * (m + n);
    for (uint32_t k = 0; k < model->history->condensed_count; k++) {
        double weight = model->weights[k];
        if (weight == 0)
            continue;
        double one = mean_of(model, a, k) * weight, other = mean_of(model, b, k) * weight;
        double distance = fabs(one - other);
        double doubt = (doubt_of_mean(model, a, k) + doubt_of_mean(model, b, k)) * weight;
        /* They are compared as floats. */
        doubt += (double)FLT_EPSILON * (fabs(one) + fabs(other)) + (double)FLT_MIN;
        of.cost += distance * distance;
        of.doubt += 2 * distance * doubt + doubt * doubt;
    }
    for (uint32_t f = 0; f < model->features.count; f++) {
        double weight = model->features.weights[f] * model->factor;
        double one = (double)cell_sum(model, a, model->features.cells[f]) * weight / m;
        double other = (double)cell_sum(model, b, model->features.cells[f]) * weight / n;
        double distance = fabs(one - other);
        double doubt = 2 * (double)FLT_EPSILON * (fabs(one) + fabs(other)) + (double)FLT_MIN;
        of.cost += distance * distance;
        of.doubt += 2 * distance * doubt + doubt * doubt;
    }
    return bounded(of, factor);
}

const struct model_method model_methods[] = {
    {"szebenyi", CLUSTERING_SZEBENYI, no_more, weigh_by_average, weighted_distance},
    {"adaptive", CLUSTERING_ADAPTIVE, some_more, weigh_by_maximum, added_squares},
};
const size_t model_method_count = sizeof(model_methods) / sizeof(model_methods[0]);

/* ---- what methods have in common ---- */

static const struct model_method *method_of(enum clustering_method method)
{
    for (size_t m = 0; m < model_method_count; m++)
        if (model_methods[m].method == method)
            return &model_methods[m];
    abort();
}

static void *zeroes(size_t count, size_t size)
{
    void *array = calloc(count ? count : 1, size);
    if (!array)
        abort();
    return array;
}

void model_start(struct model *model, const struct clustering_config *config,
                 const struct history *history, uint32_t capacity)
{
    *model = (struct model){
        .history = history,
        .config = *config,
        .method = method_of(config->method),
        .max_clusters =
            config->max_clusters == CLUSTERS_AUTO ? CLUSTERS_AUTO_KEPT : config->max_clusters,
        .may_relax = config->equivalence == EQUIVALENCE_AUTO ||
                     config->equivalence == EQUIVALENCE_SIMILAR,
        .mode =
            config->equivalence == EQUIVALENCE_AUTO ? EQUIVALENCE_HYBRID : config->equivalence,
        .capacity = capacity,
        .class_of = zeroes(capacity, sizeof(uint32_t)),
        .likes = zeroes(capacity, sizeof(struct model_class)),
        .cluster_of = zeroes(capacity, sizeof(uint32_t)),
        .costs = zeroes((size_t)capacity * capacity, sizeof(struct model_cost)),
        .weights = zeroes(history->condensed_count, sizeof(double)),
        .tops = zeroes(history->condensed_count, sizeof(double)),
        .occurred = zeroes(history->condensed_count, sizeof(uint64_t)),
    };
    double max = model->max_clusters;
    model->size_share = max > 0 ? 0.12 * max / some_more(model->max_clusters) : 0;
}

void model_end(struct model *model)
{
    free(model->class_of);
    free(model->likes);
    free(model->cluster_of);
    free(model->costs);
    free(model->weights);
    free(model->tops);
    free(model->occurred);
}

static const struct iteration_profile *profile_of(const struct model *model, uint32_t iteration)
{
    return &model->history->past[iteration].profile;
}

/* Begins a class of SIMILAR with an iteration. */
static void begin_like(struct model *model, uint32_t class_id, uint32_t iteration)
{
    const struct iteration_profile *profile = profile_of(model, iteration);
    model->likes[class_id] = (struct model_class){.pattern = iteration};
    for (size_t p = 0; p < profile->path_count; p++)
        if (profile->paths[p].kind != PATH_USR)
            model->likes[class_id]
                .sketch[profile->paths[p].path * 2654435769U / 65536 % MODEL_SKETCH] = true;
}

static void classify_as_like(struct model *model, uint32_t iteration)
{
    for (uint32_t c = 0; c < model->classes; c++)
        if (history_alike(EQUIVALENCE_SIMILAR, profile_of(model, model->likes[c].pattern),
                          profile_of(model, iteration))) {
            model->class_of[iteration] = c;
            return;
        }
    begin_like(model, model->classes, iteration);
    model->class_of[iteration] = model->classes++;
}

static void classify(struct model *model, uint32_t iteration)
{
    const struct past_iteration *past = model->history->past;
    if (model->mode == EQUIVALENCE_SIMILAR) {
        classify_as_like(model, iteration);
        return;
    }
    for (uint32_t i = 0; i < iteration; i++)
        if (history_alike(model->mode, &past[i].profile, &past[iteration].profile)) {
            model->class_of[iteration] = model->class_of[i];
            return;
        }
    model->class_of[iteration] = model->classes++;
}

static struct model_cost *costs_of(const struct model *model, uint32_t a, uint32_t b)
{
    return &model->costs[(size_t)(a < b ? a : b) * model->capacity + (a < b ? b : a)];
}

const struct model_cost *model_cost_of(const struct model *model, uint32_t a, uint32_t b)
{
    return costs_of(model, a, b);
}

static bool may_be_together(const struct model *model, uint32_t a, uint32_t b)
{
    return a != b && model_is_cluster(model, a) && model_is_cluster(model, b) &&
           model->class_of[a] == model->class_of[b];
}

static void compute(struct model *model, uint32_t cluster)
{
    for (uint32_t i = 0; i < model->count; i++)
        if (may_be_together(model, i, cluster))
            *costs_of(model, i, cluster) = model->method->cost(model, i, cluster);
}

static void compute_all(struct model *model)
{
    for (uint32_t i = 0; i < model->count; i++)
        if (model_is_cluster(model, i))
            compute(model, i);
}

/* How many of the first COUNT iterations are of a class. */
static uint32_t iterations_of(const struct model *model, uint32_t class_id, uint32_t count)
{
    uint32_t iterations = 0;
    for (uint32_t i = 0; i < count; i++)
        iterations += model->class_of[i] == class_id;
    return iterations;
}

/* Classes that the first COUNT iterations have. */
static uint32_t classes_of(const struct model *model, uint32_t count)
{
    uint32_t classes = 0;
    for (uint32_t c = 0; c < model->classes; c++)
        classes += iterations_of(model, c, count) > 0;
    return classes;
}

/* The first SETTLED iterations are those that have a place already. */
static bool has_to_relax(const struct model *model, uint32_t settled)
{
    uint32_t half = model->max_clusters / 2;
    return model->may_relax && classes_of(model, settled) > 1 &&
           model->classes > (half > 1 ? half : 1);
}

static uint64_t strangers(const struct model *model, uint32_t a, uint32_t b, uint32_t settled)
{
    uint64_t count = 0;
    for (uint32_t s = 0; s < MODEL_SKETCH; s++) {
        if (model->likes[b].sketch[s] && !model->likes[a].sketch[s])
            count += iterations_of(model, a, settled);
        if (model->likes[a].sketch[s] && !model->likes[b].sketch[s])
            count += iterations_of(model, b, settled);
    }
    return count;
}

/* Makes class B part of class A < B. */
static void unite(struct model *model, uint32_t a, uint32_t b, uint32_t settled)
{
    if (iterations_of(model, b, settled) > iterations_of(model, a, settled))
        model->likes[a].pattern = model->likes[b].pattern;
    for (uint32_t s = 0; s < MODEL_SKETCH; s++)
        model->likes[a].sketch[s] |= model->likes[b].sketch[s];
    for (uint32_t i = 0; i < settled; i++)
        if (model->class_of[i] == b)
            model->class_of[i] = a;
        else if (model->class_of[i] > b)
            model->class_of[i]--;
    for (uint32_t c = b; c + 1 < model->classes; c++)
        model->likes[c] = model->likes[c + 1];
    model->classes--;
}

/* Unites the two classes that differ least, and computes the costs of their clusters. */
static void unite_similar(struct model *model, uint32_t settled)
{
    uint64_t fewest = UINT64_MAX;
    uint32_t a = 0, b = 0;
    model->classes = classes_of(model, settled);
    for (uint32_t later = 1; later < model->classes; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            uint64_t count = strangers(model, earlier, later, settled);
            if (count < fewest) {
                fewest = count;
                a = earlier;
                b = later;
            }
        }
    unite(model, a, b, settled);
    for (uint32_t i = settled; i < model->count; i++)
        classify(model, i);
    for (uint32_t i = 0; model->costs_wanted && i < settled; i++)
        if (model_is_cluster(model, i) && model->class_of[i] == a)
            compute(model, i);
}

static void begin_likes(struct model *model, uint32_t settled)
{
    model->mode = EQUIVALENCE_SIMILAR;
    for (uint32_t i = settled; i-- > 0;)
        begin_like(model, model->class_of[i], i);
}

/* Returns whether all costs are void. */
static bool relax(struct model *model, uint32_t settled)
{
    if (model->mode == EQUIVALENCE_HYBRID) {
        model->mode = EQUIVALENCE_COMMUNICATION;
        model->classes = 0;
        for (uint32_t i = 0; i < model->count; i++)
            classify(model, i);
        return true;
    }
    if (model->mode == EQUIVALENCE_COMMUNICATION)
        begin_likes(model, settled);
    unite_similar(model, settled);
    return false;
}

static bool are_too_many(const struct model *model, uint32_t most)
{
    return model->max_clusters > 0 && model_clusters(model) > most;
}

/*
 * Costs are computed first when there are too many clusters or, by the adaptive method, when
 * three quarters of those that there is room for are used.
 */
static bool wants_costs(const struct model *model, bool too_many)
{
    uint32_t room = model->method->room(model->max_clusters);
    return too_many || (model->method->method == CLUSTERING_ADAPTIVE &&
                        model->max_clusters > 0 && 4 * model_clusters(model) > 3 * room);
}

bool model_add(struct model *model)
{
    take_stock(model);
    uint32_t newest = model->count++;
    model->cluster_of[newest] = newest;
    classify(model, newest);
    add_cells(model);
    bool anew = model->method->weigh(model);
    bool too_many = are_too_many(model, model->method->room(model->max_clusters));
    while (too_many && has_to_relax(model, newest))
        anew |= relax(model, newest);
    /* Of two classes one may be the newest's: where there may be one, they are united. */
    while (too_many && has_to_relax(model, model->count))
        anew |= relax(model, model->count);
    if (!model->costs_wanted && wants_costs(model, too_many)) {
        model->costs_wanted = true;
        anew = true;
        choose(model);
        if (model->method->method == CLUSTERING_ADAPTIVE)
            take_weights(model);
    }
    if (model->costs_wanted && anew)
        compute_all(model);
    else if (model->costs_wanted)
        compute(model, newest);
    return too_many;
}

bool model_finish(struct model *model)
{
    bool too_many = are_too_many(model, model->max_clusters), anew = false;
    while (too_many && has_to_relax(model, model->count))
        anew |= relax(model, model->count);
    if (too_many && (anew || !model->costs_wanted)) {
        if (!model->costs_wanted && model->method->method == CLUSTERING_ADAPTIVE) {
            choose(model);
            take_weights(model);
        }
        model->costs_wanted = true;
        compute_all(model);
    }
    return too_many;
}

bool model_closest(const struct model *model, uint32_t *a, uint32_t *b)
{
    double closest = INFINITY;
    for (uint32_t i = 0; i < model->count; i++)
        for (uint32_t j = i + 1; j < model->count; j++)
            if (may_be_together(model, i, j) && costs_of(model, i, j)->cost < closest) {
                closest = costs_of(model, i, j)->cost;
                *a = i;
                *b = j;
            }
    return closest < INFINITY;
}

bool model_may_merge(const struct model *model, uint32_t a, uint32_t b)
{
    uint32_t c, d;
    if (!may_be_together(model, a, b) || !model_closest(model, &c, &d))
        return false;
    const struct model_cost *merged = costs_of(model, a, b), *closest = costs_of(model, c, d);
    return merged->cost <= closest->cost + closest->doubt + merged->doubt;
}

bool model_in_doubt(const struct model *model)
{
    uint32_t pairs = 0, c, d;
    if (!model_closest(model, &c, &d))
        return false;
    const struct model_cost *closest = costs_of(model, c, d);
    for (uint32_t i = 0; i < model->count; i++)
        for (uint32_t j = i + 1; j < model->count; j++)
            pairs += may_be_together(model, i, j) &&
                     costs_of(model, i, j)->cost <=
                         closest->cost + closest->doubt + costs_of(model, i, j)->doubt;
    return pairs > 1;
}

void model_merge(struct model *model, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < model->count; i++)
        if (model->cluster_of[i] == b)
            model->cluster_of[i] = a;
    compute(model, a);
}
