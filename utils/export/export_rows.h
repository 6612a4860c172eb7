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
    bool failed; /* the command line is at fault, and that was said */
};

/* Which metrics have rows: those asked for, or else those that have a value somewhere; for the
 * caller to free(). */
bool *exported_metrics(const struct rows *rows);

/* export_functions.c: functions over all call paths. */
void export_functions(struct rows *rows);

/* export_waits.c: the tables of what ranks waited for. */
void export_waits(struct rows *rows);
void export_causes(struct rows *rows);
void export_instances(struct rows *rows);

#endif
