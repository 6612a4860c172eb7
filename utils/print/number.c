/* Numbers for scripts.  See number.h. */
#include "print/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

const char *number_text(char out[NUMBER_SIZE], long double value)
{
    if (value == truncl(value) && fabsl(value) < 0x1p63L)
        snprintf(out, NUMBER_SIZE, "%" PRId64, (int64_t)value);
    else
        snprintf(out, NUMBER_SIZE, "%.17g", (double)value);
    return out;
}
