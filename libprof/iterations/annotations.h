/*
 * Regions that programs have marked for other tools (Caliper, Score-P, LIKWID, NVTX) as
 * iterations: `caliper:NAME` and so on in TSPROF_ITERATION.
 *
 * None of these tools' functions is defined here, because a program might take that for the
 * tool itself.  Instead, where the tool's library is loaded, the GOT entries through which
 * other modules call its functions are made to point to hooks here, which call the function
 * itself.  Functions that a program finds with dlsym, and tools that are linked statically, are
 * not caught.  NVTX has no library: its header loads the one that NVTX_INJECTION64_PATH names,
 * which is libtsprof-nvtx.so and calls tsprof_nvtx_inject.
 *
 * All functions are for program context only.
 */
#ifndef TSPROF_ANNOTATIONS_H
#define TSPROF_ANNOTATIONS_H

#include "common/iteration_spec.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Hooks the functions of the tools that SPEC names, if any.  Once, when the measurement starts.
 */
void annotations_start(const struct iteration_spec *spec);

/*
 * For hooks: region NAME of a tool's KIND begins or ends.  If TSPROF_ITERATION names it, that
 * is a marker in the function that has called the hook whose frame address is FRAME.
 */
void annotations_mark(enum iteration_kind kind, bool begins, const char *name,
                      const uintptr_t *frame);

/*
 * For regions that are ended without giving their names: pop ends the region that was pushed
 * last under NUMBER on this thread.
 */
void annotations_push(enum iteration_kind kind, uint64_t number, const char *name,
                      const uintptr_t *frame);
void annotations_pop(enum iteration_kind kind, uint64_t number, const uintptr_t *frame);

/*
 * Called by libtsprof-nvtx.so: makes the NVTX in the calling module, whose tables GET_TABLE
 * returns, call hooks.  Returns 1 if TSPROF_ITERATION asks for NVTX ranges, else 0.
 */
int tsprof_nvtx_inject(const void *(*get_table)(uint32_t number));

/*
 * Hooks modules loaded since the last time.  Takes the loader's lock if there is anything to
 * hook.
 */
void annotations_renew(void);

#endif
