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

/* The frames without DROPPED of them after the first. */
static void add_without(const struct path_tree *tree, const uint32_t *frames, size_t count,
                        size_t dropped, enum name_form form, struct text *text)
{
    for (size_t i = 0; i < count; i++) {
        if (i == 1 && dropped > 0) {
            text_addf(text, "%s%s", separator, left_out);
            i += dropped;
        }
        text_add(text, i > 0 ? separator : "");
        path_add_name(tree, frames[i], form, text);
    }
}

/* "… > solve > apply", the last frame and the one that calls it, which loses what does not fit:
 * call paths that end in the same function differ by it. */
static void add_last_two(const struct path_tree *tree, const uint32_t *frames, size_t count,
                         enum name_form form, size_t columns, struct text *text)
{
    struct text caller = {0}, rest = {0};
    path_add_name(tree, frames[count - 2], form, &caller);
    text_add(&rest, separator);
    path_add_name(tree, frames[count - 1], form, &rest);
    const size_t used =
        text_columns(left_out) + text_columns(separator) + text_columns(text_string(&rest));
    text_addf(text, "%s%s", left_out, separator);
    text_add_shortened(text, text_string(&caller),
                       columns >= used + LEAST_NAME ? columns - used : LEAST_NAME);
    text_add(text, text_string(&rest));
    text_free(&caller);
    text_free(&rest);
}

void path_add_frames(const struct path_tree *tree, uint32_t path, enum name_form form,
                     size_t columns, struct text *text)
{
    size_t count, dropped = 0;
    uint32_t *frames = list_frames(tree, path, &count);
    struct text line = {0};
    add_without(tree, frames, count, dropped, form, &line);
    while (text_columns(text_string(&line)) > columns && dropped + 3 < count) {
        text_clear(&line);
        add_without(tree, frames, count, ++dropped, form, &line);
    }
    if (text_columns(text_string(&line)) > columns && count > 2) {
        text_clear(&line);
        add_last_two(tree, frames, count, form, columns, &line);
    }
    text_add(text, text_string(&line));
    text_free(&line);
    free(frames);
}
