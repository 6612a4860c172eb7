/*
 * The markers of include/tsprof.h, marking nothing: with this directory before that one the
 * same sources become programs without markers (`make -C tests/programs unmarked`).  Nothing of
 * tsprof is in them.
 */
#ifndef TSPROF_H
#define TSPROF_H

#define TSPROF_PHASE_BEGIN(name)     ((void)(name))
#define TSPROF_PHASE_END(name)       ((void)(name))
#define TSPROF_ITERATION_BEGIN(name) ((void)(name))
#define TSPROF_ITERATION_END(name)   ((void)(name))

#ifdef __cplusplus
namespace tsprof
{

/* Constructors of their own, so that a guard is no unused variable. */
struct phase {
    explicit phase(const char *)
    {
    }
};

struct iteration {
    explicit iteration(const char *)
    {
    }
};

} /* namespace tsprof */
#endif

#endif
