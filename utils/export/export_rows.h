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
};

/* export_waits.c: the tables of what ranks waited for. */
void export_waits(struct rows *rows);
void export_causes(struct rows *rows);
void export_instances(struct rows *rows);

#endif
