/* The names of locations.  See places.h. */
#include "places.h"

void place_add_name(struct text *text, const struct location *location)
{
    text_addf(text, "rank %u", location->rank);
    if (location->thread)
        text_addf(text, " thread %u", location->thread);
}
