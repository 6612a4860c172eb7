/* Lower bounds from a summary: they need sums only, no trace. */
#ifndef TSPROF_PREDICT_SUMMARY_BOUNDS_H
#define TSPROF_PREDICT_SUMMARY_BOUNDS_H

#include "predict/bounds.h"
#include "predict/question.h"

/* Whether PATH is a summary without a trace beside it. */
bool summary_is_alone(const char *path);

/* Of what QUESTION names, in the whole run and in each iteration; free with bounds_free. */
enum exit_status summary_bounds(const char *path, const struct question *question,
                                struct bounds *bounds, struct error *error);

#endif
