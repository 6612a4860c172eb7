/* Which threads a timer on the kernel's tick does not serve. */
#include "sample/in_step.h"

#include "tap.h"

#define MS     INT64_C(1000000)
#define SECOND (1000 * MS)

static const struct {
    const char *what;
    struct step_tally tally;
    bool expected;
} cases[] = {
    {"computes all the time",
     {.wall_ns = SECOND, .used_ns = SECOND, .computed_ns = SECOND, .samples = 100},
     false},
    {"waits in MPI all the time", {.wall_ns = SECOND, .used_ns = SECOND}, false},
    {"half and half",
     {.wall_ns = SECOND, .used_ns = SECOND, .computed_ns = SECOND / 2, .samples = 50},
     false},
    {"half and half, and few samples by chance",
     {.wall_ns = SECOND, .used_ns = SECOND, .computed_ns = SECOND / 2, .samples = 26},
     false},
    {"half and half, and hardly a sample",
     {.wall_ns = SECOND, .used_ns = SECOND, .computed_ns = SECOND / 2, .samples = 1},
     true},
    {"hardly a sample, but too few to be expected",
     {.wall_ns = SECOND / 2, .used_ns = SECOND / 2, .computed_ns = SECOND / 4},
     false},
    {"sleeps outside MPI",
     {.wall_ns = 10 * SECOND, .used_ns = SECOND / 10, .computed_ns = 10 * SECOND, .samples = 9},
     false},
    {"sleeps outside MPI, and the rest may be in MPI",
     {.wall_ns = 10 * SECOND, .used_ns = SECOND, .computed_ns = 9 * SECOND},
     false},
    {"sleeps in MPI",
     {.wall_ns = 10 * SECOND, .used_ns = SECOND, .computed_ns = SECOND, .samples = 99},
     false},
    {"a twentieth is computation, every tick finds it",
     {.wall_ns = SECOND, .used_ns = SECOND, .computed_ns = SECOND / 20, .samples = 90},
     true},
    {"the same, but it may be computing for long already",
     {.wall_ns = SECOND,
      .used_ns = SECOND,
      .computed_ns = SECOND / 20,
      .ahead_ns = SECOND / 2,
      .samples = 90},
     false},
    {"takes turns",
     {.wall_ns = SECOND,
      .used_ns = SECOND / 4,
      .preempted_ns = 3 * SECOND / 4,
      .computed_ns = SECOND / 20},
     true},
    {"lost its processor now and then",
     {.wall_ns = SECOND,
      .used_ns = 960 * MS,
      .preempted_ns = 40 * MS,
      .computed_ns = SECOND,
      .samples = 96},
     false},
};

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        OK(in_step_async(&cases[i].tally, 10 * MS) == cases[i].expected, "%s", cases[i].what);
    const struct step_tally begin = {10, 20, 30, 40, 50, 60}, end = {11, 22, 33, 44, 55, 66};
    const struct step_tally passed = in_step_between_async(&begin, &end);
    OK(passed.wall_ns == 1 && passed.used_ns == 2 && passed.preempted_ns == 3 &&
           passed.computed_ns == 4 && passed.samples == 6,
       "what passed between two instants");
    EQ_INT(passed.ahead_ns, 55, "what is not accounted for is that of the end");
    return tap_done();
}
