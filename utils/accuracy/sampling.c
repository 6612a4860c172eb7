/* The error of sampled times.  See sampling.h. */
#include "accuracy/sampling.h"

#include <math.h>

long double sampling_error(long double total, long double part, long double samples)
{
    if (!(total > 0) || !(part > 0) || !(samples >= 0) || part >= total)
        return 0;
    long double share = part / total;
    return total * sqrtl(2 * share * (1 - share) / (samples + 1));
}
