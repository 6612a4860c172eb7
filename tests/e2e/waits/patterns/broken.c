/* A pattern with what DEFECT says wrong with it. */
#include <tsprof_pattern.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef NAME
#define NAME "broken"
#endif
#ifndef PARENT
#define PARENT NULL
#endif
#ifndef UNIT
#define UNIT "occ"
#endif
#ifndef VERSION
#define VERSION TSPROF_PATTERN_VERSION
#endif
#ifndef COUNT
#define COUNT 1
#endif
#ifndef DEFECT
#define DEFECT(severity) (void)severity
#endif
#ifndef BEGIN
#define BEGIN (void)0
#endif
#ifndef FINAL
#define FINAL (void)0
#endif

static const struct tsprof_metric metrics[] = {{NAME, PARENT, UNIT, "Something"}};

static struct tsprof_analysis *analysis;
static const struct tsprof_analysis_functions *functions;
static const struct tsprof_call *first;

static void *begin(struct tsprof_analysis *of, const struct tsprof_analysis_functions *with)
{
    BEGIN;
    analysis = of;
    functions = with;
    return NULL;
}

static void on_call(void *state, const struct tsprof_call *call)
{
    (void)state;
    struct tsprof_severity severity = {.call = call, .path = 0, .amount = 1};
    const uint64_t call_ns = call->leave_ns - call->enter.time_ns;
    (void)call_ns;
    DEFECT((&severity));
    functions->publish(analysis, &severity);
    first = call;
}

static void end(void *state)
{
    (void)state;
    (void)first;
    FINAL;
}

const struct tsprof_pattern PATTERN_SYMBOL = {
    .version = VERSION,
    .name = "broken",
    .metrics = metrics,
    .metric_count = COUNT,
    .begin = begin,
    .on_call = on_call,
    .end = end,
};
