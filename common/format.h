/*
 * Constants of the summary file, shared by the writer in libprof and the reader in utils.
 * doc/format.md is the specification.
 */
#ifndef TSPROF_FORMAT_H
#define TSPROF_FORMAT_H

#define FORMAT_MAGIC         "TSPROF\r\n"
#define FORMAT_MAGIC_BYTES   8
#define FORMAT_VERSION       2u
#define FORMAT_HEADER_BYTES  64u
#define FORMAT_MARK_OFFSET   24u
#define FORMAT_SECTION_BYTES 48u
#define FORMAT_NO_LOCATION   0xFFFFFFFFu

/* Limits of any summary (doc/format.md, "Limits"). */
#define FORMAT_METRICS_MOST 1024u
#define FORMAT_FACTS_MOST   4096u
#define FORMAT_PHASES_MOST  (1u << 17)
#define FORMAT_SERIES_MOST  1024u               /* of a location */
#define FORMAT_PATH_MOST    (UINT64_C(1) << 26) /* bytes of the names on a call path */

#include <stdint.h>

/* Most bytes that one stored byte of an encoded section may stand for. */
#define FORMAT_RATIO_MOST 1000u

enum format_state { FORMAT_UNFINISHED = 0, FORMAT_COMPLETE = 1, FORMAT_PARTIAL = 2 };

enum format_encoding { ENCODING_STORED = 0, ENCODING_ZSTD = 1 };

enum format_section {
    SECTION_RUN = 1,
    SECTION_METRICS,
    SECTION_MODULES,
    SECTION_REGIONS,
    SECTION_CALLTREE,
    SECTION_SYSTEM,
    SECTION_PHASES,
    SECTION_LOCATION,
    SECTION_TOPOLOGIES,
    SECTION_WAITS,
    SECTION_END /* a new kind goes before it: numbers in files never change */
};

/* How many kinds there are of which the summary of a run has one section: all but LOCATION and
 * WAITS. */
enum { FORMAT_COMMON_SECTIONS = SECTION_END - SECTION_RUN - 2 };

/* The version of the content of a section of KIND. */
static inline unsigned format_section_version(unsigned kind)
{
    return kind == SECTION_LOCATION ? 5 : kind == SECTION_SYSTEM ? 2 : 1;
}

/* The oldest version of it that is read. */
static inline unsigned format_section_oldest(unsigned kind)
{
    return kind == SECTION_LOCATION ? 3 : format_section_version(kind);
}

enum format_topology { TOPOLOGY_CARTESIAN = 1, TOPOLOGY_GRAPH, TOPOLOGY_DISTRIBUTED };
enum format_metric_kind {
    FORMAT_METRIC_DERIVED,
    FORMAT_METRIC_MEASURED,
    FORMAT_METRIC_COUNTER
};

enum format_region_kind { REGION_FUNCTION, REGION_MPI, REGION_PHASE, REGION_ARTIFICIAL };

/* The root of every call tree. */
#define FORMAT_ROOT_NAME "program"

/* The group of functions that tell each of their visits. */
#define FORMAT_TOLD_GROUP "INSTRUMENTED"

#endif
