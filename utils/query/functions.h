/*
 * Functions over all call paths: what each takes itself and with what it calls, and who calls
 * it. Those of one name are one function, as exports join call paths.
 */
#ifndef TSPROF_FUNCTIONS_H
#define TSPROF_FUNCTIONS_H

#include "query/paths.h"

struct function_entry {
    const char *name;
    uint32_t first; /* the first of its paths */
    bool is_mpi;
};

struct function_list {
    const struct path_tree *tree;
    struct function_entry *items; /* in the order of their first paths; the root is the first */
    size_t count;
    uint32_t *of_path; /* the function of each path */
};

/* All functions of TREE, which must outlive the list. */
struct function_list *functions_of(const struct path_tree *tree);
void functions_free(struct function_list *functions);

/*
 * Values of METRIC, in its unit, by function: SELF, and WITH what they call, where a function
 * that calls itself counts once.  Either may be NULL.
 */
void functions_add_up(const struct function_list *functions, const struct path_values *values,
                      uint32_t metric, long double *self, long double *with);

/* A function, and who calls it: the first of its callers, and the next one that is called by it
 * or calls the same.  In items[0] nobody called; 0 ends a list. */
struct caller {
    const char *name;
    uint32_t path; /* one of those that it stands for */
    long double value;
    long double visits; /* of the function that all this is about */
    uint32_t first, next;
};

struct caller_tree {
    struct caller *items; /* items[0] is the function itself */
    size_t count, capacity;
};

/*
 * The tree of those that call the functions of WANTED (by function), up to the root, with what
 * METRIC has with all that is below them; outermost calls only.  Callers of one name are one;
 * the largest come first.  VISITS may be SUMMARY_NONE.  For caller_tree_free.
 */
struct caller_tree callers_of(const struct function_list *functions, const bool *wanted,
                              const struct path_values *values, uint32_t metric,
                              uint32_t visits);
void caller_tree_free(struct caller_tree *callers);

/*
 * The functions that NAME means: those of that name, in full or brief (print/brief_name.h), or
 * else those that match it as a pattern (fnmatch).  By function, for the caller to free();
 * NULL, and ERROR, if there is none.
 */
bool *functions_find(const struct function_list *functions, const char *name,
                     struct error *error);

#endif
