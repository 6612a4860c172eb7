/* See frames.h. */
#include "query/frames.h"

#include "base/base.h"

#include <stdlib.h>

#define LEAST_NAME 8 /* columns of a name that is shortened */

static const char separator[] = " > ";
static const char left_out[] = "…";

void path_add_name(const struct path_tree *tree, uint32_t path, enum name_form form,
                   struct text *text)
{
    if (path_region(tree, path)->kind != REGION_FUNCTION)
        text_add(text, tree->paths[path].name);
    else
        text_add_function_name(text, tree->paths[path].name, form);
}

/* The paths from below the root, or it itself, to PATH; *COUNT of them, for the caller to
 * free().
 */
static uint32_t *list_frames(const struct path_tree *tree, uint32_t path, size_t *count)
{
    size_t depth = 0;
    for (uint32_t at = path; at != 0; at = tree->paths[at].parent)
        depth++;
    uint32_t *frames = allocate(depth + 1, sizeof *frames);
    *count = depth ? depth : 1;
    for (uint32_t at = path; at != 0; at = tree->paths[at].parent)
        frames[--depth] = at;
    return frames;
}

/* A call path, and which of its frames are shown. */
struct frames {
    const struct path_tree *tree;
    uint32_t *paths;
    bool *shown;
    size_t count;
    size_t kept; /* must be shown; SIZE_MAX: none must */
    enum name_form form;
};

static struct frames make_frames(const struct path_tree *tree, uint32_t path, uint32_t keep,
                                 enum name_form form)
{
    struct frames frames = {.tree = tree, .kept = SIZE_MAX, .form = form};
    frames.paths = list_frames(tree, path, &frames.count);
    frames.shown = allocate(frames.count, sizeof *frames.shown);
    for (size_t i = 0; i < frames.count; i++) {
        frames.shown[i] = true;
        if (frames.paths[i] == keep)
            frames.kept = i;
    }
    return frames;
}

static void free_frames(struct frames *frames)
{
    free(frames->paths);
    free(frames->shown);
}

/* Replaces TEXT by the frames that are shown, with "…" for those left out between them. */
static void set_text(const struct frames *frames, struct text *text)
{
    text_clear(text);
    for (size_t i = 0; i < frames->count; i++) {
        if (!frames->shown[i] && i > 0 && !frames->shown[i - 1])
            continue;
        text_add(text, i > 0 ? separator : "");
        if (frames->shown[i])
            path_add_name(frames->tree, frames->paths[i], frames->form, text);
        else
            text_add(text, left_out);
    }
}

/* Adds the name of frame I, shortened to COLUMNS columns. */
static void add_name_in(const struct frames *frames, size_t i, size_t columns,
                        struct text *text)
{
    struct text name = {0};
    path_add_name(frames->tree, frames->paths[i], frames->form, &name);
    text_add_shortened(text, text_string(&name), columns < LEAST_NAME ? LEAST_NAME : columns);
    text_free(&name);
}

static size_t columns_of(const struct frames *frames, size_t i)
{
    struct text name = {0};
    path_add_name(frames->tree, frames->paths[i], frames->form, &name);
    const size_t columns = text_columns(text_string(&name));
    text_free(&name);
    return columns;
}

/*
 * Replaces TEXT by "… > solve > apply", the last frame and the one that calls it, which loses
 * what does not fit: call paths that end in the same function differ by it.  A frame that must
 * be shown comes before them and has half of what they leave, if it needs that.
 */
static void set_last_two(const struct frames *frames, size_t columns, struct text *text)
{
    const size_t caller = frames->count - 2, kept = frames->kept;
    const bool has_kept = kept < caller;
    const size_t gap = text_columns(left_out) + text_columns(separator);
    size_t used = gap + text_columns(separator) + columns_of(frames, frames->count - 1);
    used += has_kept ? gap + text_columns(separator) : 0;
    size_t room = columns > used ? columns - used : 0;
    text_clear(text);
    if (!has_kept || kept > 0)
        text_addf(text, "%s%s", left_out, separator);
    if (has_kept) {
        const size_t wanted = columns_of(frames, kept), others = columns_of(frames, caller);
        size_t most = room > others ? room - others : 0;
        most = most < room / 2 ? room / 2 : most;
        add_name_in(frames, kept, most, text);
        room -= wanted < most ? wanted : most;
        text_addf(text, "%s%s", kept + 1 < caller ? separator : "",
                  kept + 1 < caller ? left_out : "");
        text_add(text, separator);
    }
    add_name_in(frames, caller, room, text);
    text_add(text, separator);
    path_add_name(frames->tree, frames->paths[frames->count - 1], frames->form, text);
}

/* Leaves frames out from the caller's end on until a line of WIDTH columns has COLUMNS. */
static void leave_out(struct frames *frames, size_t width, size_t columns)
{
    const size_t gap = text_columns(left_out), between = text_columns(separator);
    for (size_t i = 1; i + 2 < frames->count && width > columns; i++) {
        if (i == frames->kept)
            continue;
        /* The first of a gap becomes "…", the others go with what is between them. */
        width -= columns_of(frames, i);
        width = frames->shown[i - 1] ? width + gap : width - between;
        frames->shown[i] = false;
    }
}

void path_add_frames_keeping(const struct path_tree *tree, uint32_t path, uint32_t keep,
                             enum name_form form, size_t columns, struct text *text)
{
    struct frames frames = make_frames(tree, path, keep, form);
    struct text line = {0};
    set_text(&frames, &line);
    leave_out(&frames, text_columns(text_string(&line)), columns);
    set_text(&frames, &line);
    if (text_columns(text_string(&line)) > columns && frames.count > 2)
        set_last_two(&frames, columns, &line);
    text_add(text, text_string(&line));
    text_free(&line);
    free_frames(&frames);
}

void path_add_frames(const struct path_tree *tree, uint32_t path, enum name_form form,
                     size_t columns, struct text *text)
{
    path_add_frames_keeping(tree, path, SUMMARY_NONE, form, columns, text);
}
