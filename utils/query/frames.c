/* See frames.h. */
#include "query/frames.h"

#include "base/base.h"

#include <stdlib.h>

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

void path_add_frames(const struct path_tree *tree, uint32_t path, enum name_form form,
                     size_t columns, struct text *text)
{
    size_t count, dropped = 0;
    uint32_t *frames = list_frames(tree, path, &count);
    struct text line = {0};
    add_without(tree, frames, count, dropped, form, &line);
    while (text_columns(text_string(&line)) > columns && dropped + 2 < count) {
        text_clear(&line);
        add_without(tree, frames, count, ++dropped, form, &line);
    }
    text_add(text, text_string(&line));
    text_free(&line);
    free(frames);
}
