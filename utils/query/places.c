/* The names of locations.  See places.h. */
#include "query/places.h"

void place_add_name(struct text *text, const struct location *location)
{
    text_addf(text, "rank %u", location->rank);
    if (location->thread)
        text_addf(text, " thread %u", location->thread);
}

static bool is_cut_off(const struct location *location)
{
    return location->ending[0] != '\0';
}

size_t place_note_count(const struct location *location)
{
    return location->note_count + is_cut_off(location);
}

const char *place_note(const struct location *location, size_t number)
{
    if (is_cut_off(location) && number-- == 0)
        return location->ending;
    return location->notes[number];
}
