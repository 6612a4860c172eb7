/*
 * Candidates: the loops that are cut while the main loop is searched for (search.h), and what
 * their passes tell about them.  Loops are known by their numbers in the recogniser
 * (detect/loops.h).
 *
 * For the thread whose calls are examined, or for whoever has stopped it.
 */
#ifndef TSPROF_CANDIDATE_H
#define TSPROF_CANDIDATE_H

#include "mainloop/search.h"

/* How many passes of loop NUMBER were cut; 0 if the loop has nothing to show. */
uint64_t candidate_passes_async(const struct thread *thread, unsigned number);

/*
 * Whether loop NUMBER is erratic: its function calls itself and most of its passes are like no
 * other, so it is only what a recursion does at one of its levels.
 */
bool candidate_is_erratic_async(const struct thread *thread, unsigned number);

/*
 * Whether loop NUMBER may well be the main loop, as far as can be told at NS: the machine code
 * tells its passes apart, there were some of them, and they took half of the time or more, or
 * of the time since costs were last reduced.  Or it is what TSPROF_ITERATION names.
 */
bool candidate_is_main(struct search *search, unsigned number, int64_t ns);

/*
 * Whether that is so, its passes are not too short for profiles, and there is no loop around it
 * that is more likely to be shown.
 */
bool candidate_is_sure(struct search *search, unsigned number, int64_t ns);

/*
 * Whether loop NUMBER is minor: there is a loop around it that will be shown rather than
 * itself, for all that can be told at NS (detect/choice.h).  That one has had many passes in
 * half of the time, and has run NUMBER half as often or more, with few passes each time.  It is
 * neither erratic nor a loop that reads commands.
 */
bool candidate_is_minor(const struct thread *thread, unsigned number, int64_t ns);

/* Whether there is a minor loop in loop NUMBER. */
bool candidate_has_minor(const struct search *search, unsigned number);

/* Whether IS is true of one of the loops at NS. */
bool candidate_is_any(struct search *search, int64_t ns,
                      bool (*is)(struct search *, unsigned, int64_t));

/*
 * The loops that must not be lost, as a set of their numbers: those that may be the main loop,
 * and those that have taken half of the time from the start of the search to NS, or of that
 * since costs were last reduced.
 */
uint32_t candidate_kept(struct search *search, int64_t ns);

/* Whether loop NUMBER has taken so much of the time at NS that it may be shown. */
bool candidate_is_worth_it(struct search *search, unsigned number, int64_t ns);

#endif
