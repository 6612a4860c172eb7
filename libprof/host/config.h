/*
 * The settings in force, read once from the environment when measurement starts.  They never
 * change after that, so any thread may read them in any context.
 */
#ifndef TSPROF_CONFIG_H
#define TSPROF_CONFIG_H

#include "common/settings.h"
#include "compress/clustering.h"

#include <stdbool.h>
#include <stdint.h>

extern struct settings config;

/* Reads the environment.  Program context, once. */
void config_start(void);

/*
 * Reports the settings that cannot be used.  One process of a job calls it, so that users read
 * it once.
 */
void config_complain(void);

/*
 * TSPROF_CLUSTERS: the most clusters that a clustering may have, CLUSTERS_AUTO for `auto` and
 * for an error bound; and that bound as a share, 0 if there is none.
 */
uint32_t config_clusters_async(void);
double config_error_bound_async(void);

enum clustering_method config_clustering_async(void);

enum equivalence config_equivalence_async(void);

/*
 * Whether the instances of phase NAME are kept apart (TSPROF_PHASES).  MARKED is what the
 * phase's marker asks for; it holds where the setting does not name the phase.
 */
bool config_keeps_phase(const char *name, bool marked);

/* Whether the stack is unwound at calls of the MPI functions of GROUP (TSPROF_UNWIND). */
bool config_unwinds_group(const char *group);

#endif
