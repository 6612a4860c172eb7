/* Notes of locations: what went wrong.  See info.h. */
#include "info/info.h"
#include "query/query.h"

#define MOST_NOTES 20

void info_notes(const struct summary *summary)
{
    size_t shown = 0, all = 0;
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct location *location = &summary->locations[i];
        size_t count = place_note_count(location);
        all += count;
        for (size_t n = 0; n < count && shown < MOST_NOTES; n++, shown++) {
            struct text text = {0};
            place_add_name(&text, location);
            text_addf(&text, ": %s", place_note(location, n));
            info_line("note", &text);
        }
    }
    if (shown < all) {
        struct text text = {0};
        text_addf(&text, "and %zu more", all - shown);
        info_line("note", &text);
    }
}
