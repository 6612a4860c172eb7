/*
 * Call paths as people read them: with brief names (print/brief_name.h), and where there is
 * little room without whole frames rather than parts of names.
 */
#ifndef TSPROF_FRAMES_H
#define TSPROF_FRAMES_H

#include "query/paths.h"

/* Adds the name of PATH's last function, unescaped. */
void path_add_name(const struct path_tree *tree, uint32_t path, enum name_form form,
                   struct text *text);

/*
 * Adds "main > … > solve > apply", the frames from below the root to PATH, unescaped, in
 * COLUMNS columns if that is possible: frames behind the first are left out, those that call
 * most of the program before those that call little.  The last frame is kept, and the one that
 * calls it rather than the first; if these two do not fit, that one is shortened.  Of the root
 * it is the name.
 */
void path_add_frames(const struct path_tree *tree, uint32_t path, enum name_form form,
                     size_t columns, struct text *text);

/* The same, but the frame that ends at the call path KEEP, PATH or one above it, is among those
 * that are not left out. */
void path_add_frames_keeping(const struct path_tree *tree, uint32_t path, uint32_t keep,
                             enum name_form form, size_t columns, struct text *text);

#endif
