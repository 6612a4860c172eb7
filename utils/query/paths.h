/*
 * The call tree as users see it: nodes with the same region names along the path are one call
 * path, whatever lines they were called from.
 */
#ifndef TSPROF_PATHS_H
#define TSPROF_PATHS_H

#include "file/file.h"
#include "print/print.h"

#include <stdbool.h>

struct call_path {
    uint32_t parent; /* a smaller index, SUMMARY_NONE for path 0, the root */
    uint32_t node;   /* the first of the file's nodes that became this path */
    const char *name;
    uint64_t line; /* of the call site; 0: unknown, or calls are not told apart by line */
};

struct path_tree {
    const struct summary *summary;
    struct call_path *paths;
    size_t count;
    uint32_t *of_node; /* the path of each node of the file */
};

/* Joins the nodes of SUMMARY, which must outlive the tree. */
struct path_tree *path_tree_build(const struct summary *summary);
/* The same, but calls of one function from different lines stay apart. */
struct path_tree *path_tree_build_by_line(const struct summary *summary);
/* The same, but every node of the file is a path of its own, with the same number. */
struct path_tree *path_tree_of_nodes(const struct summary *summary);
void path_tree_free(struct path_tree *tree);

/*
 * The *COUNT region names on the way from the root (not included, unless PATH is the root) to
 * PATH.  The names belong to the summary; the list is for the caller to free().
 */
const char **path_names(const struct path_tree *tree, uint32_t path, size_t *count);

/* Adds the names of path_names, unescaped, with SEPARATOR between them. */
void path_add_text(const struct path_tree *tree, uint32_t path, const char *separator,
                   struct text *text);

/* The region of the last function on the path. */
const struct region_entry *path_region(const struct path_tree *tree, uint32_t path);

/*
 * The source file and line of the path's last function; for an MPI function, of the place that
 * calls it.  "" and line 0 if they are not known.
 */
const char *path_place(const struct path_tree *tree, uint32_t path, uint64_t *line);

/* Whether PATH ends in the OpenMP runtime (openmp/openmp.h): its functions are of no use to
 * those who read of them. */
bool path_is_in_openmp(const struct path_tree *tree, uint32_t path);

/* PATH without its functions of the OpenMP runtime at the end. */
uint32_t path_outside_openmp(const struct path_tree *tree, uint32_t path);

/* Adds the same as "file.c:12", unescaped; nothing if it is not known. */
void path_add_place(const struct path_tree *tree, uint32_t path, struct text *text);

/* Adds "solve (file.c:12)", the name in brief, unescaped; the name alone if the place is not
 * known. */
void path_add_function(const struct path_tree *tree, uint32_t path, struct text *text);

/* Values by call path and metric, with a list of the paths that have any. */
struct path_values {
    const struct path_tree *tree;
    size_t metric_count;
    long double *sums; /* [path * metric_count + metric], in stored units */
    uint64_t divisor;  /* of all sums, which are not divided before so that they stay exact */
    bool *touched;     /* by path */
    uint32_t *list;    /* touched paths, in the order in which they were touched */
    size_t count;
};

enum metric_sums { METRICS_EXCLUSIVE, METRICS_INCLUSIVE };

struct path_values *path_values_create(const struct path_tree *tree);
void path_values_free(struct path_values *values);
/* Sets all values to zero and the divisor to 1. */
void path_values_clear(struct path_values *values);
/* Puts PATH on the list if it is not there yet. */
void path_values_touch(struct path_values *values, uint32_t path);
/* Adds SIGN (1 or -1) times MORE, which must be of the same tree; the divisor becomes 1. */
void path_values_combine(struct path_values *values, const struct path_values *more, int sign);
/*
 * Adds PROFILE divided by COUNT, in such a way that a whole mean stays whole; exclusive over
 * call paths.  With METRICS_INCLUSIVE each value is added to the ancestors of its metric as
 * well.
 */
void path_values_add(struct path_values *values, const struct profile *profile, uint64_t count,
                     enum metric_sums sums);
/*
 * The same for TIMES the values of a profile from another summary; MAP translates its nodes and
 * metrics into those of VALUES' tree (NULL: they are the same).
 */
struct path_map {
    const uint32_t *path_of, *metric_of; /* by node, by metric */
    const long double *factors;          /* by metric */
};
void path_values_add_mapped(struct path_values *values, const struct profile *profile,
                            const struct path_map *map, uint64_t times, uint64_t count,
                            enum metric_sums sums);
/* Sorts `list` into the order of the file's call tree. */
void path_values_sort(struct path_values *values);

/* The value of METRIC at PATH in the metric's unit. */
long double path_value(const struct path_values *values, uint32_t path, uint32_t metric);

#endif
