/* Lower bounds for any program that does the same (paper 003's function F3). */
#ifndef TSPROF_PREDICT_BOUNDS_H
#define TSPROF_PREDICT_BOUNDS_H

#include "print/print.h"
#include "whatif/whatif.h"

/* What is assumed: sums of these, so that there are eight cases. */
enum { BOUND_NO_WAIT = 1, BOUND_BALANCE = 2, BOUND_BALANCE_BYTES = 4, BOUND_CASES = 8 };

/* The bounds of a region, or of its part in an iteration. */
struct bound_row {
    char *name;
    uint64_t ns[BOUND_CASES]; /* 0: as it was */
};

struct bounds {
    struct bound_row *rows; /* the whole first */
    size_t count, room;
    bool has_waits; /* false: waiting is not told apart from transfers */
    bool has_bytes; /* false: how many bytes were sent is not known */
};

/* Adds a row; NAME becomes its. */
void bounds_add(struct bounds *bounds, char *name, const struct whatif_breakdown *parts,
                size_t count);
void bounds_free(struct bounds *bounds);

/* The words for a case, such as "no waiting, balanced work". */
void bounds_add_case(unsigned number, struct text *text);

#endif
