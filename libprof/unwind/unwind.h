/*
 * Call paths by walking the stack, and what is remembered so that most walks are short: recipes
 * for code addresses, the last walks, aliases of return addresses, the modules that walks have
 * met.
 *
 * Functions named *_async may be called in a signal handler; the others are for program
 * context.
 */
#ifndef TSPROF_UNWIND_ROOM_H
#define TSPROF_UNWIND_ROOM_H

#include "unwind/alias.h"
#include "unwind/caller.h"
#include "unwind/kept.h"
#include "unwind/known_modules.h"
#include "unwind/nearby.h"
#include "unwind/recipe.h"
#include "unwind/walker.h"

#endif
