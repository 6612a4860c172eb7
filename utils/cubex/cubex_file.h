/*
 * A CUBE file while it is put together: what the sources that write its parts share.  cubex.c
 * has the order.
 */
#ifndef TSPROF_CUBEX_FILE_H
#define TSPROF_CUBEX_FILE_H

#include "cubex/cubex_metrics.h"
#include "cubex/cubex_series.h"
#include "cubex/cubex_tree.h"
#include "cubex/cubex_xml.h"
#include "cubex/tar.h"
#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubex {
    const struct summary *summary;
    const struct selection *selection;
    struct cubex_series *series;
    struct cubex_metrics metrics;
    struct cubex_tree tree;
    uint32_t *columns; /* locations of the summary in the file's order: by host, rank, thread */
    size_t column_count;
    uint8_t **used; /* by metric of the file: a bit for each node that has a value */
};

/*
 * cubex_data.c: the numbers.  cubex_survey finds out which nodes have values and which metrics
 * have fractions; then cubex_write_data appends the members of METRIC: a row for each node that
 * has a value, with a number for each location.  No more than some megabytes of rows are in
 * memory at a time.
 */
void cubex_survey(struct cubex *cubex);
bool cubex_has_data(const struct cubex *cubex, size_t metric);
void cubex_write_data(const struct cubex *cubex, size_t metric, struct tar *tar);

/*
 * cubex_anchor.c: everything else, an XML document.  It is made twice, first to count its
 * bytes. False if memory is out.
 */
bool cubex_write_anchor(const struct cubex *cubex, struct tar *tar);

/* cubex_program.c and cubex_system.c: two of its elements. */
void cubex_write_program(const struct cubex *cubex, struct cubex_xml *xml);
void cubex_write_system(const struct cubex *cubex, struct cubex_xml *xml);

#endif
