/* Sampling takes no more than its share of the time, and one slow sample does not matter. */
#include "sample/limit.h"

#include "tap.h"

enum { US = 1000, MS = 1000 * US };

static int64_t after(struct limit *limit, int samples, int64_t took_ns, int64_t period_ns)
{
    int64_t period = 0;
    for (int i = 0; i < samples; i++)
        period = limit_period_async(limit, took_ns, period_ns);
    return period;
}

int main(void)
{
    struct limit limit = {0};
    EQ_INT(after(&limit, 10000, 5 * US, 10 * MS), 10 * MS, "5 us at 100 Hz: as was asked for");
    EQ_INT(after(&limit, 10000, 5 * US, 200 * US), 200 * US,
           "nor are 5 us at 5000 Hz too much");
    EQ_INT(after(&limit, 1, 30 * MS, 10 * MS), 10 * MS, "one that was interrupted");
    EQ_INT(after(&limit, 1000, 5 * US, 200 * US), 200 * US, "is forgotten");
    int64_t period = after(&limit, 1000, 500 * US, 200 * US);
    OK(period > 9 * MS && period <= 10 * MS, "half a millisecond: a hundred samples a second");
    period = after(&limit, 10000, 500 * MS, 200 * US);
    OK(period > 79 * MS && period <= 80 * MS, "at worst twelve");
    EQ_INT(after(&limit, 2000, 5 * US, 200 * US), 200 * US, "and back");
    return tap_done();
}
