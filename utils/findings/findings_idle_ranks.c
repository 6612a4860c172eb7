/*
 * Finds ranks with much less to do than others, such as one that only distributes work.  See
 * findings_ranks.h.
 */
#include "findings/findings_ranks.h"

#include <math.h>

#define IDLE_SHARE 0.5 /* of what the middle rank has: less is idle */
#define IDLE_TIME  0.1 /* of an iteration that an idle rank has less, at least */

/* Whether RANK has much less to do than the MIDDLE one; its mean is *MEAN. */
static bool is_idle(const struct ranks *ranks, size_t rank, double middle, double *mean)
{
    *mean = ranks_mean(ranks, rank, 0, ranks->blocks);
    return *mean < IDLE_SHARE * middle && middle - *mean >= IDLE_TIME * fabs(ranks->look->mean);
}

void find_idle_ranks(struct ranks *ranks)
{
    const struct look *look = ranks->look;
    double middle, mean, least = INFINITY, longest = 0;
    size_t other = ranks_middle(ranks, 0, ranks->blocks, &middle), most = 0, count = 0;
    for (size_t r = 0; r < ranks->ranks; r++) {
        const bool idle = is_idle(ranks, r, middle, &mean);
        longest = fmax(longest, mean);
        if (!idle)
            continue;
        count++;
        if (mean < least) {
            least = mean;
            most = r;
        }
    }
    if (count == 0 || count > ranks->ranks / 4)
        return;
    struct finding *finding = ranks_add_finding(ranks, FINDING_IDLE_RANKS);
    struct range range = ranks_iterations(ranks);
    for (size_t r = 0; r < ranks->ranks; r++)
        if (is_idle(ranks, r, middle, &mean))
            finding_add_rank(finding, ranks_number(ranks, r));
    finding->value = least;
    finding->usual = middle;
    finding->excess = (middle - least) * (double)look->count;
    finding->gain =
        (longest - ranks_mean_of_all(ranks, 0, ranks->blocks)) * (double)look->count;
    finding_add_range(finding, range.first, range.last);
    explain_rank(finding, look, other, most, (struct iteration_list){&range, 1});
}
