/*
 * Reads whole summary files (doc/format.md) into memory, and writes them.  Everything that is
 * read is validated here, so no other room needs to check it again.  Any room may use it.  It
 * computes nothing from the values.
 */
#ifndef TSPROF_FILE_ROOM_H
#define TSPROF_FILE_ROOM_H

#include "file/encode_definitions.h"
#include "file/read_brief.h"
#include "file/read_summary.h"
#include "file/summary.h"
#include "file/summary_file.h"
#include "file/topology_list.h"
#include "file/write_summary.h"
#include "file/zstd_codec.h"

#endif
