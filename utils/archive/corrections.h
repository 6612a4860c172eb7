/*
 * How much later the events of a trace are than their clocks said: what a logical clock has
 * found (utils/clocks), in the form in which it is applied to one event after the other.  It
 * knows nothing of archives.
 *
 * An event that cannot have been as early as its clock said is moved by a jump.  What follows
 * on the same thread keeps its distances, but for a 128th of them, until it is where it was.
 * What came before is moved by a ramp, which rises to the jump by a 64th of the time, so that
 * the jump does not look like waiting.  The ramp stays below limits, where others say that an
 * event must not be later.
 *
 * Memory is proportional to the number of jumps and limits.
 */
#ifndef TSPROF_CORRECTIONS_H
#define TSPROF_CORRECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct corrections;

struct corrections *corrections_create(size_t threads);
void corrections_free(struct corrections *corrections);

/* The first event of THREAD that is moved further is its ORDERth, at TIME_NS by its clock: by
 * BEFORE_NS without the jump, and by AFTER_NS with it.  Jumps of a thread come in order. */
void corrections_add_jump(struct corrections *corrections, uint32_t thread, uint64_t order,
                          uint64_t time_ns, uint64_t before_ns, uint64_t after_ns);

/* By how much the ORDERth event of THREAD, at TIME_NS by its clock, is moved by all jumps up to
 * it.  Events of a thread must be asked for in order, or from the beginning after
 * corrections_rewind. */
uint64_t corrections_jumped(struct corrections *corrections, uint32_t thread, uint64_t order,
                            uint64_t time_ns);
void corrections_rewind(struct corrections *corrections);

/* The jump that the event is on the ramp of, after corrections_jumped; SIZE_MAX: of none. */
size_t corrections_ramp(const struct corrections *corrections, uint32_t thread,
                        uint64_t time_ns);

/* The ramp must not move what is at TIME_NS by more than LIMIT_NS. */
void corrections_limit(struct corrections *corrections, uint32_t thread, size_t ramp,
                       uint64_t time_ns, uint64_t limit_ns);

/* After the last limit, before the first corrections_at. */
void corrections_settle(struct corrections *corrections);

/* By how much an event is moved by jumps and ramps; asked for like corrections_jumped. */
uint64_t corrections_at(struct corrections *corrections, uint32_t thread, uint64_t order,
                        uint64_t time_ns);

/* The same where no more is known of an event than its time: all jumps at that time have moved
 * it.  So must times be asked for in order. */
uint64_t corrections_at_time(struct corrections *corrections, uint32_t thread,
                             uint64_t time_ns);

/* How many jumps there are. */
uint64_t corrections_count(const struct corrections *corrections);

#endif
