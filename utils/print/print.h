/*
 * What is written for people and for scripts: growing texts, columns and numbers, CSV, JSON and
 * tables, messages on stderr, and output files that are checked to the end.  Any room may use
 * it.  It knows nothing of summaries.
 */
#ifndef TSPROF_PRINT_ROOM_H
#define TSPROF_PRINT_ROOM_H

#include "print/base64.h"
#include "print/complaint.h"
#include "print/csv.h"
#include "print/json.h"
#include "print/output_file.h"
#include "print/rank_list.h"
#include "print/table.h"
#include "print/text.h"

#endif
