/*
 * From where on a property of communication is worth a sentence, and which rank is the master
 * (findings_properties.h).  doc/report.md says what each threshold is of.
 */
#ifndef TSPROF_THRESHOLDS_H
#define TSPROF_THRESHOLDS_H

#include "base/base.h"

#include <stdbool.h>
#include <stdint.h>

/* The rows of properties.def. */
enum threshold {
#define THRESHOLD(id, name, value, unit, factor) THRESHOLD_##id,
#include "findings/properties.def"
#undef THRESHOLD
    THRESHOLDS
};

struct thresholds {
    double value[THRESHOLDS]; /* in seconds or bytes, or a share of 1 */
    bool master_given;
    uint32_t master; /* the rank that distributes work, if it is given */
};

struct thresholds thresholds_default(void);

/* Reads "NAME=VALUE".  False, and ERROR with the names that there are, if it is none. */
bool thresholds_read(struct thresholds *thresholds, const char *text, struct error *error);

#endif
