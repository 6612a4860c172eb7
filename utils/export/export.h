/*
 * What `tsprof export` writes.  cmd_export.c reads the command line and has the list of
 * formats; each format has a file of its own.
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
 * A format writes what --what asks for to where --output says (stdout if it does not) and
 * returns an exit_status, after a message if that is not EXIT_DONE.
 */
typedef int export_write(const struct export *export);

/* export_tables.c.  Words that --what takes, for messages; false if WHAT is none of them. */
#define EXPORT_TABLES "iterations, callpaths, clusters, regions or topologies"
bool export_has_table(const char *what);
export_write export_csv, export_json;

/* export_folded.c, export_speedscope.c: of call paths only. */
bool export_has_flame(const char *what);
export_write export_folded, export_speedscope;

#endif
