/* A table that is being exported.  For the files of tables only. */
#ifndef TSPROF_EXPORT_ROWS_H
#define TSPROF_EXPORT_ROWS_H

#include "export/export.h"
#include "print/print.h"
#include "query/query.h"

struct rows {
    const struct summary *summary;
    const struct options *options;
    const struct selection *selection;
    struct table table;
    const struct path_tree
        *numbers;              /* what call paths are numbered by; NULL: they have names */
    bool failed;               /* the command line is at fault, and that was said */
    struct sampling *sampling; /* the iterations of ranks that are written; NULL: all */
};

/* A table; columns are an interface and never change. */
struct table_kind {
    const char *name;
    const char *columns;
    void (*write)(struct rows *rows);
    const char *fewer; /* which options make it smaller, if it has rows for each iteration */
};

/* export_size.c: says on stderr how large the table of KIND will be, if it is large. */
void export_say_size(const struct rows *rows, const struct table_kind *kind,
                     enum table_notation notation);

/* A sample of the iterations of ranks: at random, but the same each time. */
struct sampling {
    uint64_t step;  /* one in so many, on average */
    uint64_t left;  /* to leave out before the next one */
    uint64_t state; /* of chance */
    uint64_t seen, taken;
};

/* Whether the next iteration of a rank is one of the sample. */
bool sampling_takes(struct sampling *sampling);

/* Which metrics have rows: those asked for, or else those that have a value somewhere; for the
 * caller to free(). */
bool *exported_metrics(const struct rows *rows);

/* A field that is PATH of TREE, any tree of the same summary: its names, or its number. */
void export_path(struct rows *rows, const struct path_tree *tree, uint32_t path);

/* export_paths.c: the names of the call paths, by number. */
void export_paths(struct rows *rows);

/* export_functions.c: functions over all call paths. */
void export_functions(struct rows *rows);

/* export_functions.c: the part of the run that is exported; false, after a message, if the
 * options do not tell.  And its values of RANK, in place of what VALUES has. */
bool rows_scope(struct rows *rows, struct scope *scope);
void rows_add_rank(const struct rows *rows, const struct scope *scope,
                   const struct rank_group *rank, struct path_values *values);

/* export_callers.c: functions by those that call them. */
void export_callers(struct rows *rows);

/* export_waits.c: the tables of what ranks waited for. */
void export_waits(struct rows *rows);
void export_causes(struct rows *rows);
void export_instances(struct rows *rows);

#endif
