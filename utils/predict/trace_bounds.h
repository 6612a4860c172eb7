/* Lower bounds from a trace: its sums are those of the unchanged prediction. */
#ifndef TSPROF_PREDICT_TRACE_BOUNDS_H
#define TSPROF_PREDICT_TRACE_BOUNDS_H

#include "predict/bounds.h"
#include "predict/question.h"
#include "predict/study.h"

/* After the prediction of the unchanged run; of what QUESTION names, and of its part in each
 * iteration.  Free with bounds_free.  False, and ERROR, if it names nothing. */
bool trace_bounds(struct study *study, const struct question *question, struct bounds *bounds,
                  struct error *error);

#endif
