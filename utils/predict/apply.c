/* See apply.h. */
#include "predict/apply.h"

#include "predict/chosen.h"
#include "predict/parameters.h"

static bool apply_zero_wait(struct study *study, const struct question *question,
                            struct whatif_changes *changes, struct error *error)
{
    size_t calls = 0;
    if (!chosen_calls(study, question->where, error))
        return false;
    if (question->rank == UINT32_MAX)
        calls = whatif_never_wait(changes, study->paths, WHATIF_NONE, question->ordinal);
    for (uint32_t i = 0; question->rank != UINT32_MAX && i < study->trace->thread_count; i++)
        if (study_rank(study, i) == question->rank)
            calls += whatif_never_wait(changes, study->paths, i, question->ordinal);
    return calls > 0 || error_set(error,
                                  "zero-wait %s: no call is meant; ranks are 0 to %zu, and the "
                                  "calls of each are counted from 0",
                                  question->argument, study->feed->world.rank_count - 1);
}

static bool apply_balance(struct study *study, const struct question *question,
                          struct whatif_changes *changes, struct error *error)
{
    const bool bytes = question->kind == ASK_BALANCE_BYTES;
    bool good;
    if (!chosen_places(study, question->where, bytes, error))
        return false;
    const size_t steps = bytes ? whatif_balance_bytes(changes, study->paths, &good)
                               : whatif_balance(changes, study->paths, &good);
    if (!good)
        out_of_memory();
    return steps > 0 || error_set(error, "%s: no two ranks %s there at the same step",
                                  question->argument, bytes ? "send bytes" : "compute");
}

static bool apply_scale(struct study *study, const struct question *question,
                        struct whatif_changes *changes, struct error *error)
{
    if (!chosen_places(study, question->where, question->kind == ASK_ZERO, error))
        return false;
    if (question->kind == ASK_ZERO)
        whatif_remove(changes, study->paths);
    else
        whatif_scale(changes, study->paths, question->factor);
    return true;
}

static bool apply_network(struct study *study, const struct question *question,
                          struct whatif_changes *changes, struct error *error)
{
    struct whatif_network network = whatif_network(study->whatif);
    if (!parameters_read(question->where, &network, error))
        return false;
    whatif_use_network(changes, &network);
    return true;
}

bool apply_question(struct study *study, const struct question *question,
                    struct whatif_changes *changes, struct error *error)
{
    switch (question->kind) {
    case ASK_ZERO_WAIT:
        return apply_zero_wait(study, question, changes, error);
    case ASK_BALANCE:
    case ASK_BALANCE_BYTES:
        return apply_balance(study, question, changes, error);
    case ASK_SCALE:
    case ASK_ZERO:
        return apply_scale(study, question, changes, error);
    case ASK_NETWORK:
        return apply_network(study, question, changes, error);
    default:
        return true;
    }
}
