/* What the file holds, and what of it the lines that follow are about.  See info.h. */
#include "file/file.h"
#include "info/info.h"
#include "query/query.h"

#include <stdlib.h>

void info_tables(const struct summary *summary)
{
    struct text text = {0};
    bool *used = metrics_in_use(summary);
    size_t metrics = 0;
    for (size_t m = 0; m < summary->metric_count; m++)
        metrics += used[m];
    free(used);
    text_addf(&text, "%zu nodes in the call tree, %zu regions, %zu modules, %zu of %zu metrics",
              summary->node_count, summary->region_count, summary->module_count, metrics,
              summary->metric_count);
    info_line("holds", &text);
}

void info_selected(const struct selection *selection)
{
    struct text text = {0};
    size_t locations = selection_locations(selection);
    if (locations == selection->summary->location_count)
        return;
    text_addf(&text,
              "%zu of %zu threads: the following lines, up to their table, cover only these",
              locations, selection->summary->location_count);
    info_line("selected", &text);
}
