/* See bounds.h. */
#include "predict/bounds.h"

#include "base/base.h"

#include <stdlib.h>

void bounds_add(struct bounds *bounds, char *name, const struct whatif_breakdown *parts,
                size_t count)
{
    bounds->rows = grow_list(bounds->rows, bounds->count, &bounds->room, sizeof *bounds->rows);
    struct bound_row *row = &bounds->rows[bounds->count++];
    row->name = name;
    for (unsigned i = 0; i < BOUND_CASES; i++)
        row->ns[i] =
            whatif_bound(parts, count,
                         (struct whatif_bound){.no_wait = i & BOUND_NO_WAIT,
                                               .balance = i & BOUND_BALANCE,
                                               .balance_bytes = i & BOUND_BALANCE_BYTES});
}

void bounds_free(struct bounds *bounds)
{
    for (size_t i = 0; i < bounds->count; i++)
        free(bounds->rows[i].name);
    free(bounds->rows);
    *bounds = (struct bounds){0};
}

void bounds_add_case(unsigned number, struct text *text)
{
    static const char *const words[] = {"no waiting", "balanced work", "balanced bytes"};
    const char *said[3];
    size_t count = 0;
    for (unsigned i = 0; i < 3; i++)
        if (number & 1u << i)
            said[count++] = words[i];
    if (count == 0)
        text_add(text, "as it was");
    else
        text_add_list(text, said, count, "and");
}
