/*
 * The call tree as people see it: nodes with the same region names along the path are one call
 * path, whatever the lines they were called from.
 */
#ifndef TSPROF_PATHS_H
#define TSPROF_PATHS_H

#include "file/file.h"
#include "print/print.h"

#include <stdbool.h>

struct call_path {
    uint32_t parent; /* a smaller index, SUMMARY_NONE for path 0, the root */
    uint32_t node;   /* the first node of the file that is joined here */
    const char *name;
    uint64_t line; /* of the call site; 0: unknown, or not told apart */
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
/* Joins none: every node is a path of its own, with its number. */
struct path_tree *path_tree_of_nodes(const struct summary *summary);
void path_tree_free(struct path_tree *tree);

/*
 * The region names from below the root to PATH, *COUNT of them; the root's own only if PATH is
 * the root.  The names are the summary's, the list is for the caller to free().
 */
const char **path_names(const struct path_tree *tree, uint32_t path, size_t *count);

/* Adds the names of path_names, unescaped, with SEPARATOR between them. */
void path_add_text(const struct path_tree *tree, uint32_t path, const char *separator,
                   struct text *text);

/* The region of a path's last step. */
const struct region_entry *path_region(const struct path_tree *tree, uint32_t path);

/*
 * The source file that a path's function is in and its line there; of an MPI function those of
 * the place that calls it.  An empty text, and line 0, if they are not known.
 */
const char *path_place(const struct path_tree *tree, uint32_t path, uint64_t *line);

/* Adds "file.c:12" for the same, unescaped; nothing if it is not known. */
void path_add_place(const struct path_tree *tree, uint32_t path, struct text *text);

/* A table of values by call path and metric, with the list of paths that have any. */
struct path_values {
    const struct path_tree *tree;
    size_t metric_count;
    long double *sums; /* [path * metric_count + metric], in stored units */
    uint64_t divisor;  /* of all sums, 1 after a clear: sums of integers stay exact */
    bool *touched;     /* by path */
    uint32_t *list;    /* touched paths, in the order in which they were met */
    size_t count;
};

enum metric_sums { METRICS_EXCLUSIVE, METRICS_INCLUSIVE };

struct path_values *path_values_create(const struct path_tree *tree);
void path_values_free(struct path_values *values);
/* Makes all values zero again. */
void path_values_clear(struct path_values *values);
/* Puts PATH on the list, with zeros if it is not there yet. */
void path_values_touch(struct path_values *values, uint32_t path);
/* Adds SIGN (1 or -1) times the values of MORE, of the same tree; the divisor becomes 1. */
void path_values_combine(struct path_values *values, const struct path_values *more, int sign);
/*
 * Adds PROFILE divided by COUNT, so that whole means stay whole; exclusive over call paths.
 * With METRICS_INCLUSIVE a value is added to its metric's ancestors too.
 */
void path_values_add(struct path_values *values, const struct profile *profile, uint64_t count,
                     enum metric_sums sums);
/*
 * The same for a profile of a summary whose numbers MAP translates into those of VALUES' tree
 * (NULL: they are the same), TIMES as often.
 */
struct path_map {
    const uint32_t *path_of, *metric_of; /* by node, by metric */
    const long double *factors;          /* by metric */
};
void path_values_add_mapped(struct path_values *values, const struct profile *profile,
                            const struct path_map *map, uint64_t times, uint64_t count,
                            enum metric_sums sums);
/* Puts `list` in ascending order, which is that of the file's call tree. */
void path_values_sort(struct path_values *values);

/* The value of METRIC at PATH in the metric's unit. */
long double path_value(const struct path_values *values, uint32_t path, uint32_t metric);

#endif
