/* See rate.h. */
#include "timeline/rate.h"

struct sample_rate sample_rate = {.period_ns = 0, .timer = "none"};
