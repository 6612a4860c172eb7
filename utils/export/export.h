/*
 * Writes the formats of `tsprof export`.  command/cmd_export.c reads the command line and has
 * the list of formats; each format has a file of its own.  Only the command and room cubex use
 * this room.
 */
#ifndef TSPROF_EXPORT_H
#define TSPROF_EXPORT_H

#include "file/file.h"
#include "options/options.h"
#include "query/query.h"

struct export
{
    const struct summary *summary;
    const struct options *options;
    const struct selection *selection;
};

/*
 * Writes what --what names to the file that --output names, or to stdout.  Returns an
 * exit_status, after a message unless that is EXIT_DONE.
 */
typedef int export_write(const struct export *export);

/* export_tables.c.  EXPORT_TABLES lists, for messages, what --what takes; export_has_table is
 * true for those words. */
#define EXPORT_TABLES                                                                          \
    "iterations, callpaths, paths, functions, callers, clusters, largest, presence, regions, " \
    "topologies, waits, causes or instances"
bool export_has_table(const char *what);
export_write export_csv, export_json;

/* export_folded.c, export_speedscope.c: for --what callpaths only. */
bool export_has_flame(const char *what);
export_write export_folded, export_speedscope;

#endif
