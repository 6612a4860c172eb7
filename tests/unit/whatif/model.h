/* Graphs of the small traces of ../replay/script.h, and questions about them. */
#ifndef TSPROF_TEST_MODEL_H
#define TSPROF_TEST_MODEL_H

#include "replay/script.h"
#include "whatif/whatif.h"

struct model {
    struct replay *replay;
    struct replay_result result;
    struct whatif *whatif;
    struct whatif_changes *changes;
    bool *paths;
};

/* NETWORK may be NULL: as the trace tells. */
struct model model_make(const struct script *script, const struct whatif_network *network);
void model_free(struct model *model);

/* The paths of REGION, and of what is called from there. */
const bool *model_paths(struct model *model, enum script_region region);

/* After model_ns: when NS of PROCESS would have been. */
uint64_t model_moved(const struct model *model, uint32_t process, uint64_t ns);

/* The predicted time with the model's changes; UINT64_MAX if it never ends. */
uint64_t model_ns(struct model *model);

#endif
