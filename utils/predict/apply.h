/* Questions become changes of the graph. */
#ifndef TSPROF_PREDICT_APPLY_H
#define TSPROF_PREDICT_APPLY_H

#include "predict/question.h"
#include "predict/study.h"

/* Adds what QUESTION asks to CHANGES; bound and best change nothing.  False, and ERROR, if it
 * is about nothing that there is. */
bool apply_question(struct study *study, const struct question *question,
                    struct whatif_changes *changes, struct error *error);

#endif
