/* The predicted run as a trace. */
#ifndef TSPROF_PREDICT_WRITE_TRACE_H
#define TSPROF_PREDICT_WRITE_TRACE_H

#include "predict/study.h"

/* After the prediction with CHANGES: writes the trace with predicted times to the directory
 * PATH, which may be replaced if REPLACES.  False, and ERROR, on failure. */
bool write_trace(const struct study *study, const struct whatif_changes *changes,
                 const char *path, bool replaces, struct error *error);

#endif
