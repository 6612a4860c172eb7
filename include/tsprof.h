/*
 * tsprof.h: mark phases and iterations of a program for tsprof.
 *
 *     TSPROF_PHASE_BEGIN("setup");   ...   TSPROF_PHASE_END("setup");
 *     for (int i = 0; i < n; i++) {
 *         TSPROF_ITERATION_BEGIN("timestep");
 *         ...
 *         TSPROF_ITERATION_END("timestep");
 *     }
 *
 * In C++ a guard ends the phase on every way out of the scope:
 *
 *     tsprof::iteration step("timestep");
 *
 * A program that has no use for a header can mark iterations with MPI_Pcontrol
 * (TSPROF_PCONTROL): MPI_Pcontrol(N) begins one of "pcontrol N" and MPI_Pcontrol(-N) ends it, N
 * being 5 or more.
 *
 * Nothing has to be linked and tsprof need not be installed where the program runs: the markers
 * look for the preloaded runtime once and cost a few nanoseconds when it is not there.  Names
 * are copied by the runtime and need live only for the call.  Markers may nest; the instances
 * of one phase are ended by the thread that began them, in reverse order.  Not for signal
 * handlers.
 *
 * Copyright the tsprof authors.  SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TSPROF_H
#define TSPROF_H

#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The functions that the runtime offers; version 1 has exactly these. */
struct tsprof_api {
    unsigned version;
    void (*phase_begin)(const char *name);
    void (*phase_end)(const char *name);
    void (*iteration_begin)(const char *name);
    void (*iteration_end)(const char *name);
};

/*
 * Returns the runtime's functions; in a program without the runtime the symbol does not exist.
 */
typedef const struct tsprof_api *(*tsprof_get_api_function)(unsigned version);

/* Programs that are compiled with -finstrument-functions need not hear of these. */
#define TSPROF_UNINSTRUMENTED __attribute__((no_instrument_function))

TSPROF_UNINSTRUMENTED static inline void tsprof_nothing(const char *name)
{
    (void)name;
}

/*
 * The functions to call.  Looked up by the first marker of each translation unit; threads that
 * do so at the same time all store the same pointer.
 */
TSPROF_UNINSTRUMENTED static inline const struct tsprof_api *tsprof_api(void)
{
    static const struct tsprof_api absent = {1, tsprof_nothing, tsprof_nothing, tsprof_nothing,
                                             tsprof_nothing};
    static const struct tsprof_api *found;
    const struct tsprof_api *api = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
    if (!api) {
        /* RTLD_DEFAULT, spelled out because some C libraries show it only to GNU programs. */
        void *symbol = dlsym((void *)0, "tsprof_get_api");
        tsprof_get_api_function get;
        __builtin_memcpy(&get, &symbol, sizeof get);
        api = symbol ? get(1) : NULL;
        if (!api)
            api = &absent;
        __atomic_store_n(&found, api, __ATOMIC_RELEASE);
    }
    return api;
}

#define TSPROF_PHASE_BEGIN(name)     (tsprof_api()->phase_begin(name))
#define TSPROF_PHASE_END(name)       (tsprof_api()->phase_end(name))
#define TSPROF_ITERATION_BEGIN(name) (tsprof_api()->iteration_begin(name))
#define TSPROF_ITERATION_END(name)   (tsprof_api()->iteration_end(name))

#ifdef __cplusplus
} /* extern "C" */

namespace tsprof
{

/* Marks the enclosing scope as an instance of a phase.  The name must outlive the guard. */
class phase
{
  public:
    TSPROF_UNINSTRUMENTED explicit phase(const char *name) : name_(name)
    {
        TSPROF_PHASE_BEGIN(name_);
    }
    TSPROF_UNINSTRUMENTED ~phase()
    {
        TSPROF_PHASE_END(name_);
    }
    phase(const phase &) = delete;
    phase &operator=(const phase &) = delete;

  private:
    const char *name_;
};

/* Marks the enclosing scope as one iteration.  The name must outlive the guard. */
class iteration
{
  public:
    TSPROF_UNINSTRUMENTED explicit iteration(const char *name) : name_(name)
    {
        TSPROF_ITERATION_BEGIN(name_);
    }
    TSPROF_UNINSTRUMENTED ~iteration()
    {
        TSPROF_ITERATION_END(name_);
    }
    iteration(const iteration &) = delete;
    iteration &operator=(const iteration &) = delete;

  private:
    const char *name_;
};

} /* namespace tsprof */
#endif

#endif
