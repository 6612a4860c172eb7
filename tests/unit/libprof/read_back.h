/*
 * For unit tests of what the runtime writes: reads it with the command's own reader, which
 * validates it.  The two floors' types have the same names, so none of either is here.
 */
#ifndef TSPROF_READ_BACK_H
#define TSPROF_READ_BACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct read_back;

/* The summary at PATH; NULL, and a line that says why, if it cannot be read. */
struct read_back *read_back_summary(const char *path);

/* The same for the section of one location, in a summary with so many nodes and phases. */
struct read_back *read_back_location(const void *bytes, size_t size, size_t nodes,
                                     size_t phases);

/* The same from its wall time on, without whose it is, and as parts have it. */
struct read_back *read_back_numbers(const void *bytes, size_t size, size_t nodes,
                                    size_t phases);

void read_back_free(struct read_back *back);

/* Locations, and of number LOCATION: */
size_t read_back_locations(const struct read_back *back);
struct read_place {
    uint32_t rank, thread, host;
    uint64_t process;
    int64_t wall_ns;
    uint64_t start_ns;
    size_t notes, series;
};
struct read_place read_back_place(const struct read_back *back, size_t location);
bool read_back_has_note(const struct read_back *back, size_t location, const char *text);
uint64_t read_back_cost(const struct read_back *back, size_t location, const char *key);

/* Which of a location's profiles. */
enum read_profile { READ_WHOLE, READ_OUTSIDE };

/* METRIC, by number, of NODE. */
int64_t read_back_cell(const struct read_back *back, size_t location, enum read_profile which,
                       uint32_t node, uint32_t metric);

/* METRIC, by name, of all call paths that end in REGION and lead through AROUND; NULL: any. */
int64_t read_back_sum(const struct read_back *back, size_t location, enum read_profile which,
                      const char *region, const char *around, const char *metric);

/* Series NUMBER of a location. */
struct read_series {
    uint32_t phase;
    uint64_t iterations, lost;
    size_t clusters;
    uint64_t size;   /* iterations of all clusters */
    int64_t wall_ns; /* of these */
};
struct read_series read_back_series(const struct read_back *back, size_t location,
                                    size_t number);

/* METRIC of NODE, by their numbers, in all clusters of that series. */
int64_t read_back_clustered(const struct read_back *back, size_t location, size_t number,
                            uint32_t node, uint32_t metric);

/* Its largest value in an iteration of that series; 0 if there is none. */
int64_t read_back_largest(const struct read_back *back, size_t location, size_t number,
                          uint32_t node, uint32_t metric);

/* A fact about the run; "" if there is none.  And the phase of that number. */
const char *read_back_fact(const struct read_back *back, const char *key);
const char *read_back_phase(const struct read_back *back, uint32_t phase);

/* Whether times add up on every location, and totals, as `tsprof info` checks it. */
bool read_back_holds(const struct read_back *back);

#endif
