/*
 * The call paths of the rows of a list: what of them is shown, so that no two rows look the
 * same.  Within the room only.
 */
#ifndef TSPROF_REPORT_ROWS_H
#define TSPROF_REPORT_ROWS_H

#include "report/report.h"

struct path_row {
    uint32_t path;
    bool is_unsampled; /* what is shown is not its last function's own (query/unsampled.h) */
    /* Set by path_rows_tell_apart. */
    bool is_twin;  /* with brief names it would look like another row */
    uint32_t keep; /* without the frame that ends at this call path, too; SUMMARY_NONE: none */
};

/* Finds what the COUNT rows ROWS[0], ROWS[1] … must show so that they differ, if they are added
 * from column COLUMN on. */
void path_rows_tell_apart(struct report *report, struct path_row **rows, size_t count,
                          size_t column);

/*
 * Adds the path's last function with its source line and, in the next lines, the whole path if
 * it has more than that; of what is not sampled that, and the whole path.  Everything begins at
 * COLUMN, where the line is already.
 */
void path_row_add(struct report *report, const struct path_row *row, size_t column);

#endif
