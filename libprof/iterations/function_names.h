/*
 * The names of functions in the call tree while the program runs, for settings that name
 * functions.
 *
 * The name of each function is looked up once, when it is asked for.  The program waits
 * meanwhile, some milliseconds in all.  What was found is kept until the process ends.  For the
 * thread that has initialised MPI, in program context; errno may change.
 */
#ifndef TSPROF_FUNCTION_NAMES_H
#define TSPROF_FUNCTION_NAMES_H

#include "common/iteration_spec.h"
#include "tree/tree.h"

#include <stdbool.h>
#include <stdint.h>

/* To be called before all others; false without memory. */
bool function_names_start(void);

/* Closes the files that look-ups have opened; they are opened anew when needed. */
void function_names_close(void);

/* The name of NODE's function as reports show it; "" if it has none.  Valid to the end. */
const char *function_names_of(const struct node *node);

/*
 * Whether WANTED names the innermost function around NODE that reports show, and, unless LINE
 * is 0, NODE was called from that line of it.
 */
bool function_names_match_caller(const struct cct *tree, uint32_t node,
                                 struct iteration_text wanted, int line);

/*
 * Whether the functions around NODE that reports show end with those of PATH, each with the
 * line of the call in it if PATH says one.
 */
bool function_names_match_path(const struct cct *tree, uint32_t node,
                               struct iteration_text path);

#endif
