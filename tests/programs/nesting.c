/*
 * nesting.c: iterations inside iterations, after one another, and inside phases that are
 * summed.
 *
 *     nesting MODE
 *
 * Every instance holds as many calls of MPI_Comm_rank as its row in the test says, so that the
 * visits of each phase are known.
 */
#include "counts.h"

#include <tsprof.h>

PATH_FUNCTION static void visit(int times)
{
    int rank;
    for (int i = 0; i < times; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

/* Five iterations of one phase, then three of another. */
static void one_after_the_other(void)
{
    for (int i = 0; i < 5; i++) {
        TSPROF_ITERATION_BEGIN("first");
        visit(1 + i);
        TSPROF_ITERATION_END("first");
    }
    visit(2);
    for (int i = 0; i < 3; i++) {
        TSPROF_ITERATION_BEGIN("second");
        visit(10);
        TSPROF_ITERATION_END("second");
    }
}

/* Four outer iterations with three inner ones each. */
static void one_in_the_other(void)
{
    for (int i = 0; i < 4; i++) {
        TSPROF_ITERATION_BEGIN("outer");
        visit(1);
        for (int j = 0; j < 3; j++) {
            TSPROF_ITERATION_BEGIN("inner");
            visit(10 + i);
            TSPROF_ITERATION_END("inner");
        }
        TSPROF_ITERATION_END("outer");
    }
}

/* The same inner iterations are also run on their own, before and after. */
static void sometimes_nested(void)
{
    for (int i = 0; i < 4; i++) {
        const int nested = i == 1 || i == 2;
        if (nested)
            TSPROF_ITERATION_BEGIN("outer");
        visit(1);
        TSPROF_ITERATION_BEGIN("inner");
        visit(10);
        TSPROF_ITERATION_END("inner");
        if (nested)
            TSPROF_ITERATION_END("outer");
    }
}

/* An iteration that holds one of its own kind. */
static void recurse(int depth)
{
    TSPROF_ITERATION_BEGIN("level");
    visit(1);
    if (depth)
        recurse(depth - 1);
    TSPROF_ITERATION_END("level");
}

static void itself(void)
{
    recurse(2);
    recurse(2);
}

/* Iterations inside a phase that is summed, with such phases inside them. */
static void among_phases(void)
{
    TSPROF_PHASE_BEGIN("solver");
    for (int i = 0; i < 6; i++) {
        TSPROF_ITERATION_BEGIN("timestep");
        TSPROF_PHASE_BEGIN("assembly");
        visit(3);
        TSPROF_PHASE_END("assembly");
        visit(1);
        TSPROF_ITERATION_END("timestep");
    }
    TSPROF_PHASE_END("solver");
}

/* Names that a page must not take for its own text. */
static void named_like_markup(void)
{
    for (int i = 0; i < 3; i++) {
        TSPROF_ITERATION_BEGIN("<script>alert(1)</script>");
        visit(1 + i);
        TSPROF_PHASE_BEGIN("</script><img src=x onerror=alert(2)>");
        visit(1);
        TSPROF_PHASE_END("</script><img src=x onerror=alert(2)>");
        TSPROF_ITERATION_END("<script>alert(1)</script>");
    }
}

static const struct mode {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"sequence", one_after_the_other}, {"nested", one_in_the_other},
    {"sometimes", sometimes_nested},   {"recursive", itself},
    {"phases", among_phases},          {"markup", named_like_markup},
};

#define MODES (sizeof modes / sizeof *modes)

int main(int argc, char **argv)
{
    for (size_t i = 0; i < MODES; i++) {
        if (argc != 2 || strcmp(argv[1], modes[i].name))
            continue;
        MPI_Init(&argc, &argv);
        modes[i].run();
        MPI_Finalize();
        return 0;
    }
    fprintf(stderr, "usage: %s MODE, one of:", argv[0]);
    for (size_t i = 0; i < MODES; i++)
        fprintf(stderr, " %s", modes[i].name);
    fprintf(stderr, "\n");
    return 2;
}
