/*
 * A clustering under observation: everything that goes in is written down, and what must hold
 * for every method and whatever the input is checked against it.
 *
 * For tests only.  The first promise found broken is kept in `fault`, as a sentence; NULL: none
 * so far.
 */
#ifndef TSPROF_CLUSTERING_CHECKS_H
#define TSPROF_CLUSTERING_CHECKS_H

#include "clustering_history.h"
#include "counting_memory.h"

/* The methods there are. */
struct method_name {
    const char *name;
    enum clustering_method method;
};
enum { CLUSTERING_METHODS = 2 };
extern const struct method_name clustering_methods[CLUSTERING_METHODS];

struct checked {
    struct clustering *clustering;
    struct clustering_config config;
    struct counting_memory memory;
    struct history history;
    bool finished; /* and memory was not out then */
    const char *fault;
};

/*
 * Creates a clustering by CONFIG, whose memory source is replaced by one that fails as FAILING
 * says; NULL: it never fails.  False if even that was too much memory.  End it with checked_end
 * in either case.
 */
bool checked_start(struct checked *checked, const struct clustering_config *config,
                   const struct counting_memory *failing);

/* clustering_add, and what it says about itself; returns what that returned. */
bool checked_add(struct checked *checked, const struct iteration_profile *profile);

void checked_skip(struct checked *checked, uint64_t count);

/* clustering_finish. */
void checked_finish(struct checked *checked);

/* Checks everything.  Takes longer than adding did. */
void checked_check(struct checked *checked);

/* Notes whether two clusterings that were given the same differ in anything that can be read.
 */
void checked_compare(struct checked *checked, const struct checked *other);

/* Destroys the clustering and returns the fault: also memory not given back. */
const char *checked_end(struct checked *checked);

#endif
