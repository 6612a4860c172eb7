/* What the libraries of test_unload.c offer. */
#ifndef TSPROF_UNLOAD_PLUGIN_H
#define TSPROF_UNLOAD_PLUGIN_H

/* Both call LOOK with ARGUMENT; the outer one then calls the inner one with both. */
int plugin_inner(void (*look)(void *), void *argument);
int plugin_outer(void (*look)(void *), void *argument);

#endif
