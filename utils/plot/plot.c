/* Words that all kinds of pictures share.  See plot.h. */
#include "plot/plot.h"

#include <inttypes.h>

void plot_add_count(struct text *text, uint64_t count, const char *one)
{
    text_addf(text, "%" PRIu64 " %s%s", count, one, count == 1 ? "" : "s");
}

const char *plot_unit(const struct plot *plot)
{
    return plot->summary->metrics[plot->metric].unit;
}
