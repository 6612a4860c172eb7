/* The table of what rooms above the time line do for it; see timeline/hooks.h. */
#include "iterations/iterations.h"
#include "life/lifecycle.h"
#include "mainloop/mainloop.h"
#include "save/save.h"
#include "timeline/timeline.h"

#define SOURCES &follow_source, &slices_source, &watch_source

_Static_assert(sizeof((const struct border_source *const[]){SOURCES}) <=
                   BORDER_SOURCES_MOST * sizeof(struct border_source *),
               "the list of sources ends with NULL");

const struct hooks timeline_hooks = {
    .enter = lifecycle_enter,
    .work = part_work_leaving,
    .thaw_async = part_thaw_async,
    .sources = {SOURCES},
};
