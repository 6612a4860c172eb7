/* The settings in force, read once from the environment when measurement starts. */
#ifndef TSPROF_CONFIG_H
#define TSPROF_CONFIG_H

#include "compress/clustering.h"
#include "common/settings.h"

#include <stdbool.h>
#include <stdint.h>

extern struct settings config;

/* Reads the environment.  Program context, once. */
void config_start(void);

/* Says what in the environment cannot be used; for one process of a job to do. */
void config_complain(void);

/* Most clusters as a clustering wants it: `auto` is CLUSTERS_AUTO. */
uint32_t config_clusters(void);

enum clustering_method config_clustering(void);

enum equivalence config_equivalence(void);

/* Whether instances of phase NAME are kept apart; MARKED is what its marker asks for. */
bool config_keeps_phase(const char *name, bool marked);

/* Whether calls of MPI functions of GROUP are unwound from (TSPROF_UNWIND). */
bool config_unwinds_group(const char *group);

#endif
