/* Finding call paths by their names.  See callpath.h. */
#include "query/callpath.h"

#include "print/print.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const char *const separators[] = {";", " > "};

#define SEPARATORS (sizeof separators / sizeof separators[0])

/* Whether WHOLE is END, or ends with SEPARATOR and END. */
static bool ends_with(const char *whole, const char *end, const char *separator)
{
    size_t whole_length = strlen(whole), end_length = strlen(end),
           separator_length = strlen(separator);
    if (strcmp(whole, end) == 0)
        return true;
    if (whole_length < end_length + separator_length)
        return false;
    const char *at = whole + whole_length - end_length;
    return strcmp(at, end) == 0 &&
           memcmp(at - separator_length, separator, separator_length) == 0;
}

/* Whether NAME, as a pattern or as the end of a call path, matches WHOLE. */
static bool is_meant_by(const char *name, bool pattern, const char *whole, const char *last,
                        const char *separator)
{
    if (pattern)
        return fnmatch(name, whole, 0) == 0 || fnmatch(name, last, 0) == 0;
    return ends_with(whole, name, separator);
}

/* Whether NAME matches PATH.  Names with control characters may also be given escaped, as they
 * are shown. */
static bool is_meant(const struct path_tree *tree, uint32_t path, const char *name,
                     bool pattern)
{
    bool meant = false;
    const char *last = tree->paths[path].name;
    for (size_t i = 0; i < SEPARATORS && !meant; i++) {
        struct text plain = {0}, shown = {0};
        path_add_text(tree, path, separators[i], &plain);
        text_add_escaped(&shown, text_string(&plain));
        meant = is_meant_by(name, pattern, text_string(&plain), last, separators[i]) ||
                is_meant_by(name, pattern, text_string(&shown), last, separators[i]);
        text_free(&plain);
        text_free(&shown);
    }
    return meant;
}

/* Marks the paths that NAME matches, and those below; returns how many match. */
static size_t mark(const struct path_tree *tree, const char *name, bool pattern, bool *paths)
{
    size_t count = 0;
    for (uint32_t p = 0; p < tree->count; p++) {
        uint32_t parent = tree->paths[p].parent;
        bool meant = is_meant(tree, p, name, pattern);
        count += meant;
        paths[p] = meant || (parent != SUMMARY_NONE && paths[parent]);
    }
    return count;
}

bool *callpath_find(const struct path_tree *tree, const char *name, size_t *count,
                    struct error *error)
{
    bool *paths = allocate(tree->count, sizeof *paths);
    *count = mark(tree, name, false, paths);
    /* First as a name, since C++ names contain asterisks and brackets. */
    if (*count == 0 && strpbrk(name, "*?["))
        *count = mark(tree, name, true, paths);
    if (*count == 0) {
        free(paths);
        error_set(error, "%s: has no call path \"%s\"; tsprof report shows them",
                  tree->summary->path, name);
        return NULL;
    }
    bool *nodes = allocate(tree->summary->node_count, sizeof *nodes);
    for (size_t n = 0; n < tree->summary->node_count; n++)
        nodes[n] = paths[tree->of_node[n]];
    free(paths);
    return nodes;
}
