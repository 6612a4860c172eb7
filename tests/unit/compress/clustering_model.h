/*
 * A second implementation of clustering, slow and obvious: it keeps every iteration, looks at
 * every pair of clusters every time, and adds members up anew whenever it needs a mean (Z.
 * Szebenyi, "Capturing Parallel Performance Dynamics", sections 4.1 and 5.4.2; the adaptive
 * method as compress/ describes it).
 *
 * For tests only, and for clusterings that have memory enough: no iteration is ever lost here.
 *
 * A cluster is named by its first iteration; iterations are numbers in the history, which are
 * other numbers than the clustering's where iterations were skipped.
 *
 * Rounding: with the published method and one condensed value, a small integer, the model meets
 * the same ties as the clustering, and model_closest is the pair to be merged.  Elsewhere two
 * pairs may be so close to equally close that the order of additions decides.  Then the model
 * follows what the clustering did (model_merge) and judges it by model_may_merge.
 */
#ifndef TSPROF_CLUSTERING_MODEL_H
#define TSPROF_CLUSTERING_MODEL_H

#include "clustering_history.h"

struct model;

/* What merging two clusters costs, and what rounding may have added to it or taken away. */
struct model_cost {
    double cost;
    double doubt;
};

/* What a method decides: all else is common to them. */
struct model_method {
    const char *name;
    enum clustering_method method;
    /* Most clusters while iterations are added, for so many in the end. */
    uint32_t (*room)(uint32_t max_clusters);
    /* Takes weights anew after the newest iteration; true if costs from before are void. */
    bool (*weigh)(struct model *model);
    struct model_cost (*cost)(const struct model *model, uint32_t a, uint32_t b);
};

extern const struct model_method model_methods[];
extern const size_t model_method_count;

enum { MODEL_CELLS = 256 /* no test has as many, unless cells have no roles */ };

enum { MODEL_SKETCH = 256 };

/* The cells that are compared. */
struct model_features {
    uint32_t count;
    uint32_t cells[48];
    double weights[48];
    double tops[48]; /* by which they were taken */
    double others;   /* variances of the cells that are not among them, when they were chosen */
};

/* A class of EQUIVALENCE_SIMILAR. */
struct model_class {
    uint32_t pattern;          /* an iteration: others like it are of the class */
    bool sketch[MODEL_SKETCH]; /* call paths that some iteration has */
};

struct model {
    const struct history *history;
    struct clustering_config config;
    const struct model_method *method;
    uint32_t max_clusters; /* in the end; of CLUSTERS_AUTO: for now */
    bool may_relax;
    enum equivalence mode;
    uint32_t count;    /* iterations of the history that are in clusters */
    uint32_t capacity; /* of the following */
    uint32_t classes;
    uint32_t *class_of;
    struct model_class *likes; /* of SIMILAR, by class */
    uint32_t *cluster_of;
    bool costs_wanted;                 /* as soon as the first two clusters have to be merged */
    struct model_cost *costs;          /* capacity x capacity, as they were computed */
    double size_share;                 /* of the adaptive method's cost */
    double *weights;                   /* of the condensed values */
    struct model_features features;    /* of the adaptive method */
    struct model_features chosen;      /* those that vary most, when they were last chosen */
    double factor;                     /* of all features */
    bool stock_taken;                  /* the next two are known */
    double totals_left, features_left; /* shares of what varies that vary within clusters */
    double cell_sums[MODEL_CELLS], cell_squares[MODEL_CELLS];
    double *tops;         /* by metric: the largest magnitude of its compared cells */
    uint64_t *occurred;   /* by metric: values of its compared cells so far */
    uint32_t next_choice; /* iterations */
};

/* Makes *MODEL empty, for at most CAPACITY iterations of HISTORY.  model_end gives its memory
 * back. */
void model_start(struct model *model, const struct clustering_config *config,
                 const struct history *history, uint32_t capacity);
void model_end(struct model *model);

/* Puts the history's next iteration into a cluster of its own.  Returns whether that is one too
 * many: then model_merge has to follow, if model_closest finds a pair. */
bool model_add(struct model *model);

/* Returns whether there are too many for the end: as before, until there are not. */
bool model_finish(struct model *model);

/* The two clusters to be merged, *A < *B; false if no two are of one class. */
bool model_closest(const struct model *model, uint32_t *a, uint32_t *b);

/* What merging two clusters costs, by what is remembered of it. */
const struct model_cost *model_cost_of(const struct model *model, uint32_t a, uint32_t b);

/* Whether A and B are of one class and, but for rounding, no two clusters are closer. */
bool model_may_merge(const struct model *model, uint32_t a, uint32_t b);

/* Whether several pairs may be the ones to merge, as model_may_merge has it. */
bool model_in_doubt(const struct model *model);

/* Merges cluster B into A < B. */
void model_merge(struct model *model, uint32_t a, uint32_t b);

bool model_is_cluster(const struct model *model, uint32_t iteration);
uint32_t model_clusters(const struct model *model);
uint32_t model_size(const struct model *model, uint32_t cluster);
int64_t model_wall_ns(const struct model *model, uint32_t cluster);

/* The sum of condensed value K over the members, and of its absolute values. */
double model_sum(const struct model *model, uint32_t cluster, uint32_t k);
double model_absolute_sum(const struct model *model, uint32_t cluster, uint32_t k);

#endif
