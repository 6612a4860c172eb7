/* Means by thread and cluster that findings are searched in: part of findings_look.c. */
#ifndef TSPROF_FINDINGS_MEANS_H
#define TSPROF_FINDINGS_MEANS_H

#include "findings/findings_look.h"

/* Fills in LOOK's means and `has_io`, after its points are corrected; look_free_means frees
 * what they point to. */
void look_make_means(struct look *look);
void look_free_means(struct look *look);

/* The mean of rank R over the iterations of LIST, of MEANS by thread and cluster, in which
 * THREAD is the number of its first; 0 without any. */
double mean_of_rank(const struct look *look, double *const *means, size_t thread, size_t r,
                    struct iteration_list list);

#endif
