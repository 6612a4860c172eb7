/* The Cartesian topologies of an archive.  For otf2_reader.h and its files only. */
#ifndef TSPROF_OTF2_GRIDS_H
#define TSPROF_OTF2_GRIDS_H

#include <otf2/otf2.h>

struct otf2_reader;

struct otf2_grids;

struct otf2_grids *otf2_grids_create(void);
void otf2_grids_free(struct otf2_grids *grids);

/* Lists the functions for definitions of topologies in ALL. */
void otf2_grid_callbacks(OTF2_GlobalDefReaderCallbacks *all);

/* Puts the topologies into the trace, whose communicators and processes are known. */
void otf2_settle_grids(struct otf2_reader *reader);

#endif
