/* For fuzz_replay: what must hold for predictions from any events. */
#ifndef TSPROF_CHECK_WHATIF_H
#define TSPROF_CHECK_WHATIF_H

#include "whatif/whatif.h"

/*
 * After replay_end; the recorder is gone then.  Ends the program unless a search predicts for
 * each change what a simulation of the whole run does, only waits on the critical path gain,
 * times of a thread never go back, and bounds are no longer than what they are bounds of.
 */
void check_whatif(struct whatif_recorder *recorder, const struct replay *replay);

#endif
