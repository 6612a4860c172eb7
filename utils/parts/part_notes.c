/* See part_notes.h. */
#include "parts/part_notes.h"

#include "print/print.h"

#include <inttypes.h>
#include <string.h>

/* Adds a note in words; frees TEXT. */
static void add_note(struct part_reading *part, struct location *location, struct text *text)
{
    struct memory_pool *pool = &part->shell.pool;
    const char **notes = memory_pool_allocate(pool, location->note_count + 1, sizeof *notes);
    if (location->note_count > 0)
        memcpy(notes, location->notes, location->note_count * sizeof *notes);
    notes[location->note_count++] = memory_pool_copy(pool, text_string(text), text->length);
    location->notes = notes;
    text_free(text);
}

static const char *ending(const struct part_reading *part, enum life life)
{
    if (part->ending == PART_NOT_WRITTEN || part->ending == PART_NO_TRACE)
        return "";
    if (part->ending == PART_UNFINISHED)
        return "the process ended without MPI_Finalize";
    if (part->ending == PART_ABORTED)
        return "the process ended by MPI_Abort";
    if (life == LIFE_RUNNING || life == LIFE_STOPPED)
        return "the process had not ended yet";
    return life == LIFE_ENDED ? "the process was killed or crashed"
                              : "the process was killed or crashed, or has not ended yet";
}

static void note_process(struct part_reading *part, struct location *location)
{
    struct text text = {0};
    if (part->ending == PART_NOT_WRITTEN) {
        text_add(&text, "the process ended normally, but its summary could not be written");
        add_note(part, location, &text);
    }
    if (part->ending == PART_NO_TRACE) {
        text_add(&text,
                 "the process ended normally, with a summary; its events were not written");
        add_note(part, location, &text);
    }
    if (part->lost_threads > 0) {
        text_addf(&text, "%" PRIu32 " further thread%s no room in the part", part->lost_threads,
                  part->lost_threads == 1 ? " had" : "s had");
        add_note(part, location, &text);
    }
}

/* Adds the note that says up to when the location's data are complete. */
static void note_end(struct part_reading *part, struct part_snapshot *snapshot)
{
    struct location *location = &snapshot->location;
    struct text text = {0};
    long double after = (long double)part->epoch_ns + (long double)snapshot->saved_ns -
                        (long double)location->start_ns;
    text_addf(&text, "complete up to %.6Lf s after the start of its measurement", after / 1e9L);
    add_note(part, location, &text);
}

static void note_older(struct part_reading *part, struct location *location)
{
    struct text text = {0};
    text_add(&text, "its latest snapshot is damaged: this is an earlier one");
    add_note(part, location, &text);
}

static void note_open(struct part_reading *part, const struct part_log_reading *log,
                      struct part_snapshot *snapshot)
{
    struct text text = {0};
    for (size_t i = 0; i < snapshot->open_count; i++)
        text_addf(&text, "%siteration %" PRIu64 " of %s", i ? ", in it " : "",
                  snapshot->open[i].number, log->phases[snapshot->open[i].phase].name);
    text_addf(&text, " had not ended: its %.6Lf s are outside all iterations",
              (long double)snapshot->open_wall_ns / 1e9L);
    add_note(part, &snapshot->location, &text);
}

void part_notes_add(struct part_reading *part, const struct part_log_reading *log,
                    enum life life, bool first, struct part_snapshot *snapshot)
{
    snapshot->location.ending = ending(part, life);
    if (first)
        note_process(part, &snapshot->location);
    if (snapshot->is_older)
        note_older(part, &snapshot->location);
    if (!snapshot->ended)
        note_end(part, snapshot);
    if (snapshot->open_count > 0)
        note_open(part, log, snapshot);
}
