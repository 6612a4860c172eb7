/* Which iterations of a call path's finding have more than which.  See findings_inside.h. */
#include "findings/findings_inside.h"

#include "base/base.h"

#include <stdlib.h>

#define TENTH 10

static struct range *one_range(uint64_t first, uint64_t end, size_t *count)
{
    struct range *range = allocate(1, sizeof *range);
    *range = (struct range){first, end > first ? end - 1 : first};
    *count = end > first;
    return range;
}

/* What comes before the finding, as long as it lasts at most. */
static struct range *before_of(const struct finding *finding, const struct look *look,
                               size_t *count)
{
    const uint64_t first = finding->iterations[0].first,
                   before = first - look->first < finding->iteration_count
                                ? first - look->first
                                : finding->iteration_count;
    return one_range(first - before, first, count);
}

/* The iterations between those of the finding. */
static struct range *between_of(const struct finding *finding, size_t *count)
{
    struct range *list = allocate(finding->range_count, sizeof *list);
    *count = 0;
    for (size_t i = 1; i < finding->range_count; i++)
        list[(*count)++] = (struct range){finding->iterations[i - 1].last + 1,
                                          finding->iterations[i].first - 1};
    return list;
}

static struct range *copy_of(const struct finding *finding, size_t *count)
{
    struct range *list = allocate(finding->range_count, sizeof *list);
    for (size_t i = 0; i < finding->range_count; i++)
        list[i] = finding->iterations[i];
    *count = finding->range_count;
    return list;
}

struct sides sides_of(const struct finding *finding, const struct look *look)
{
    struct sides sides = {0};
    const struct range *all = &finding->iterations[0];
    const uint64_t length = all->last - all->first + 1,
                   tenth = length / TENTH ? length / TENTH : 1;
    if (finding->kind == FINDING_DRIFT) {
        sides.more = one_range(all->last + 1 - tenth, all->last + 1, &sides.more_count);
        sides.less = one_range(all->first, all->first + tenth, &sides.less_count);
    } else {
        sides.more = copy_of(finding, &sides.more_count);
        sides.less = finding->kind == FINDING_PERIOD
                         ? between_of(finding, &sides.less_count)
                         : before_of(finding, look, &sides.less_count);
    }
    if (finding->value < finding->usual)
        sides = (struct sides){sides.less, sides.more, sides.less_count, sides.more_count};
    return sides;
}

void sides_free(struct sides *sides)
{
    free(sides->more);
    free(sides->less);
}
