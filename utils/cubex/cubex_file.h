/*
 * A CUBE file that is being written: what the sources that write its parts share.  cubex.c
 * calls them in order.
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
 * cubex_data.c: writes the values.  cubex_survey finds out which nodes have values and which
 * metrics need fractions.  Then cubex_write_data appends the members for METRIC: a row for each
 * node that has a value, with a number for each location.  A few megabytes of rows at most are
 * in memory at a time.
 */
void cubex_survey(struct cubex *cubex);
bool cubex_has_data(const struct cubex *cubex, size_t metric);
void cubex_write_data(const struct cubex *cubex, size_t metric, struct tar *tar);

/*
 * cubex_anchor.c: writes everything else, an XML document.  It is generated twice, first to
 * count its bytes.  False if there is no memory.
 */
bool cubex_write_anchor(const struct cubex *cubex, struct tar *tar);

/* cubex_program.c and cubex_system.c: write two elements of that document. */
void cubex_write_program(const struct cubex *cubex, struct cubex_xml *xml);
void cubex_write_system(const struct cubex *cubex, struct cubex_xml *xml);

#endif
