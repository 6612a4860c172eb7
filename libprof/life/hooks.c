/* The table of what rooms above the time line do for it; see timeline/hooks.h. */
#include "iterations/iterations.h"
#include "life/lifecycle.h"
#include "mainloop/mainloop.h"
#include "save/save.h"
#include "timeline/timeline.h"

const struct hooks timeline_hooks = {
    .enter = lifecycle_enter,
    .save = part_save_leaving,
    .sources = {&follow_source, &slices_source, &watch_source, NULL},
};
