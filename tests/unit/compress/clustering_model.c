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
    for (uint32_t k = 0; k < model->metrics; k++) {
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

/* The sketch has four parts; what the first two show is added up, the others are apart. */
static uint32_t part_of(const struct model *model, uint32_t k)
{
    return 4 * (k - model->metrics) / (model->history->condensed_count - model->metrics);
}

static uint32_t kind_of(const struct model *model, uint32_t k)
{
    uint32_t part = part_of(model, k);
    return part < 2 ? 0 : part - 1;
}

/* All that a sketch shows of an iteration, of one kind. */
static double shown(const struct model *model, uint32_t iteration, uint32_t kind)
{
    double sum = 0;
    for (uint32_t k = model->metrics; k < model->history->condensed_count; k++)
        if (kind_of(model, k) == kind)
            sum += fabs(history_value(model->history, iteration, k));
    return sum;
}

static double most_shown(const struct model *model, uint32_t kind)
{
    double most = 0;
    for (uint32_t i = 0; i < model->count; i++)
        most = fmax(most, shown(model, i, kind));
    return most;
}

static double largest(const struct model *model, uint32_t k)
{
    double most = 0;
    for (uint32_t i = 0; i < model->count; i++)
        most = fmax(most, fabs(history_value(model->history, i, k)));
    return most;
}

static double mean_samples(const struct model *model)
{
    double sum = 0;
    for (uint32_t i = 0; i < model->count; i++) {
        double samples = model->history->past[i].profile.samples;
        sum += isfinite(samples) && samples > 0 ? samples : 0;
    }
    return sum / model->count;
}

static double inverse(double value)
{
    return isfinite(1 / value) ? 1 / value : 0;
}

/* Whether anything is larger by more than a twentieth than what its weight was taken for. */
static bool has_outgrown(const struct model *model)
{
    double samples = mean_samples(model);
    if (samples > 2 * model->used_samples || 2 * samples < model->used_samples)
        return true;
    for (uint32_t kind = 0; kind < MODEL_KINDS; kind++)
        if (most_shown(model, kind) > 1.05 * model->used[kind])
            return true;
    for (uint32_t k = 0; k < model->metrics; k++) {
        double most = largest(model, k), weight = model->weights[k];
        if (weight == 0 ? inverse(most) != 0 : most * weight > 1.05)
            return true;
    }
    return false;
}

/* One over the largest value; the sampled part of the sketch counts the more the more samples
 * there are. */
static bool weigh_by_maximum(struct model *model)
{
    uint32_t count = model->history->condensed_count;
    double samples = mean_samples(model);
    if (!has_outgrown(model))
        return false;
    for (uint32_t kind = 0; kind < MODEL_KINDS; kind++)
        model->used[kind] = most_shown(model, kind);
    model->used_samples = samples;
    for (uint32_t k = 0; k < model->metrics; k++)
        model->weights[k] = inverse(largest(model, k));
    for (uint32_t k = model->metrics; k < count; k++)
        model->weights[k] = inverse(model->used[kind_of(model, k)]) *
                            (part_of(model, k) == 1 ? sqrt(samples / (samples + 400)) : 1);
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
        .metrics = config->condensed_count - config->sketch_count,
        .method = method_of(config->method),
        .max_clusters =
            config->max_clusters == CLUSTERS_AUTO ? CLUSTERS_AUTO_LEAST : config->max_clusters,
        .may_relax = config->equivalence == EQUIVALENCE_AUTO,
        .mode =
            config->equivalence == EQUIVALENCE_AUTO ? EQUIVALENCE_HYBRID : config->equivalence,
        .capacity = capacity,
        .class_of = zeroes(capacity, sizeof(uint32_t)),
        .cluster_of = zeroes(capacity, sizeof(uint32_t)),
        .costs = zeroes((size_t)capacity * capacity, sizeof(struct model_cost)),
        .weights = zeroes(history->condensed_count, sizeof(double)),
    };
    double max = model->max_clusters;
    model->size_share = max > 0 ? 0.12 * max / some_more(model->max_clusters) : 0;
}

void model_end(struct model *model)
{
    free(model->class_of);
    free(model->cluster_of);
    free(model->costs);
    free(model->weights);
}

static void classify(struct model *model, uint32_t iteration)
{
    const struct past_iteration *past = model->history->past;
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

static bool has_to_relax(const struct model *model)
{
    uint32_t half = model->max_clusters / 2;
    return model->may_relax && model->mode != EQUIVALENCE_NONE &&
           model->classes > (half > 1 ? half : 1);
}

static void relax(struct model *model)
{
    model->mode =
        model->mode == EQUIVALENCE_HYBRID ? EQUIVALENCE_COMMUNICATION : EQUIVALENCE_NONE;
    model->classes = 0;
    for (uint32_t i = 0; i < model->count; i++)
        classify(model, i);
}

static bool are_too_many(const struct model *model, uint32_t most)
{
    return model->max_clusters > 0 && model_clusters(model) > most;
}

bool model_add(struct model *model)
{
    uint32_t newest = model->count++;
    model->cluster_of[newest] = newest;
    classify(model, newest);
    bool anew = model->method->weigh(model);
    bool too_many = are_too_many(model, model->method->room(model->max_clusters));
    while (too_many && has_to_relax(model)) {
        relax(model);
        anew = true;
    }
    if (too_many && !model->costs_wanted) {
        model->costs_wanted = true;
        anew = true;
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
    while (too_many && has_to_relax(model)) {
        relax(model);
        anew = true;
    }
    if (too_many && (anew || !model->costs_wanted)) {
        model->costs_wanted = true;
        compute_all(model);
    }
    return too_many;
}

void model_allow_more(struct model *model)
{
    model->max_clusters += model->max_clusters / 4;
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
