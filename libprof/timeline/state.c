/* See state.h. */
#include "timeline/state.h"

enum measurement_state measurement_state;
