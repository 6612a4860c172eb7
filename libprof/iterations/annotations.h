/*
 * Regions that programs have marked for other tools, as iterations: Caliper, Score-P, LIKWID
 * and NVTX (`caliper:NAME` and so on in TSPROF_ITERATION).
 *
 * None of these tools' functions is ever defined here, since a program could take that for the
 * tool.  Where its library is loaded, the places through which other modules call its functions
 * are made to lead here, and from here to the function itself.  What a program finds with
 * dlsym, and tools that are linked statically, are not seen.  NVTX has no library: its header
 * loads what NVTX_INJECTION64_PATH names, which is libtsprof-nvtx.so and leads to
 * tsprof_nvtx_inject.
 */
#ifndef TSPROF_ANNOTATIONS_H
#define TSPROF_ANNOTATIONS_H

#include "common/iteration_spec.h"

#include <stdbool.h>
#include <stdint.h>

/* Hooks what SPEC asks for, if anything.  Program context, once, when measurement starts. */
void annotations_start(const struct iteration_spec *spec);

/*
 * For hooks: a marker NAME of a region of KIND, if TSPROF_ITERATION asks for it, in the
 * function that called the hook whose frame address is FRAME.
 */
void annotations_mark(enum iteration_kind kind, bool begins, const char *name,
                      const uintptr_t *frame);

/* The same for regions that are ended without their names: by the latest begun under NUMBER. */
void annotations_push(enum iteration_kind kind, uint64_t number, const char *name,
                      const uintptr_t *frame);
void annotations_pop(enum iteration_kind kind, uint64_t number, const uintptr_t *frame);

/*
 * What NVTX_INJECTION64_PATH leads to: has the NVTX in the calling module, whose tables
 * GET_TABLE returns, call hooks.  1 if TSPROF_ITERATION asks for it, else 0.
 */
int tsprof_nvtx_inject(const void *(*get_table)(uint32_t number));

/*
 * Hooks what was loaded since.  Program context; takes the loader's lock, if there is anything
 * to hook at all.
 */
void annotations_renew(void);

#endif
