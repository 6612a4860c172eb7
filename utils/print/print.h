/*
 * Formatting and output: growing strings, columns and numbers with units for people; CSV, JSON
 * and tables for scripts; messages on stderr; output files whose errors are noticed.  Any room
 * may use it.  It knows nothing about summaries.
 */
#ifndef TSPROF_PRINT_ROOM_H
#define TSPROF_PRINT_ROOM_H

#include "print/base64.h"
#include "print/brief_name.h"
#include "print/complaint.h"
#include "print/csv.h"
#include "print/json.h"
#include "print/output_file.h"
#include "print/rank_list.h"
#include "print/table.h"
#include "print/text.h"

#endif
