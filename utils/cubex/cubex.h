/*
 * Writes a summary as a CUBE 4 profile, the format of Score-P and Scalasca.  doc/cube.md says
 * how a summary is represented there.  Only the command uses this room.
 */
#ifndef TSPROF_CUBEX_H
#define TSPROF_CUBEX_H

#include "export/export.h"

/* The only word that --what takes: the file has the whole summary. */
#define EXPORT_CUBEX "profile"
bool export_has_cubex(const char *what);
export_write export_cubex;

#endif
