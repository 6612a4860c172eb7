/* A pattern that is told of everything and counts it; witness.py does the same. */
#include <tsprof_pattern.h>

#include <string.h>

enum { ENTERED, LATE, MIXED };

static const struct tsprof_metric metrics[] = {
    [ENTERED] = {"seen_entered", NULL, "occ", "Functions that were entered"},
    [LATE] = {"seen_late", NULL, "s", "What was found as late senders"},
    [MIXED] = {"seen_mixed", NULL, "occ", "All numbers of events, mixed"},
};

static struct tsprof_analysis *analysis;
static const struct tsprof_analysis_functions *functions;
static uint32_t last_path;

static void publish(unsigned metric, const struct tsprof_call *call, uint32_t path,
                    uint64_t amount)
{
    functions->publish(analysis,
                       &(struct tsprof_severity){
                           .metric = metric, .call = call, .path = path, .amount = amount});
}

static uint64_t mix(uint64_t before, uint64_t value)
{
    return (before * 31 + value) & 0xFFFFFF;
}

static uint64_t mix_point(uint64_t before, const struct tsprof_point *point)
{
    return mix(mix(mix(before, point->thread), point->path), point->time_ns);
}

static uint64_t mix_message(uint64_t sum, const struct tsprof_message *at)
{
    sum = mix(mix_point(mix_point(sum, &at->send), &at->receive), at->bytes);
    sum = mix(mix(mix(mix(sum, at->order), at->oldest), at->from), at->to);
    return mix(mix(mix(sum, at->tag), at->comm), at->is_buffered);
}

static uint64_t mix_call(uint64_t sum, const struct tsprof_call *call)
{
    sum = mix(mix(mix_point(sum, &call->enter), call->leave_ns), call->region);
    sum = mix(mix(mix(sum, call->process), call->blocks),
              strlen(functions->region_name(analysis, call->region)));
    for (const struct tsprof_message *at = call->arrived; at; at = at->next_arrived)
        sum = mix_message(sum, at);
    for (const struct tsprof_message *at = call->sent; at; at = at->next_sent)
        sum = mix_message(sum, at);
    return mix(sum, functions->rank(analysis, call->process));
}

static void *begin(struct tsprof_analysis *of, const struct tsprof_analysis_functions *with)
{
    analysis = of;
    functions = with;
    return NULL;
}

static void on_call(void *state, const struct tsprof_call *call)
{
    (void)state;
    last_path = call->enter.path;
    publish(MIXED, call, 0, mix_call(1, call));
}

static void on_collective(void *state, const struct tsprof_collective *collective)
{
    (void)state;
    for (size_t i = 0; i < collective->member_count; i++) {
        const struct tsprof_member *member = &collective->members[i];
        uint64_t sum =
            mix(mix(mix(2, collective->operation), collective->comm), collective->root);
        sum = mix_point(mix_call(sum, member->call), &member->start);
        sum = mix(mix(sum, member->rank), member->is_remote);
        for (size_t j = 0; j < member->transfer_count; j++)
            sum = mix(mix_call(sum, member->transfers[j].call), member->transfers[j].target);
        publish(MIXED, member->call, 0, sum);
    }
}

static void on_epoch(void *state, const struct tsprof_epoch *epoch)
{
    (void)state;
    uint64_t sum = mix(mix(mix(3, epoch->window), epoch->process), epoch->is_exposure);
    for (size_t i = 0; i < epoch->partner_count; i++) {
        const struct tsprof_partner *partner = &epoch->partners[i];
        sum = mix(mix(mix_point(sum, &partner->ready), partner->last_ns), partner->process);
        sum = mix(sum, partner->is_used);
    }
    for (size_t i = 0; i < epoch->call_count; i++)
        publish(MIXED, epoch->calls[i], 0,
                mix(mix_call(sum, epoch->calls[i]), epoch->targets[i]));
}

static void on_locked(void *state, const struct tsprof_locked *locked)
{
    (void)state;
    const uint64_t sum = mix_point(mix_point(4, &locked->holder), &locked->progress);
    publish(MIXED, locked->call, 0, mix(mix_call(sum, locked->call), locked->is_transfer));
}

static void on_enter(void *state, const struct tsprof_visit *visit)
{
    (void)state;
    publish(ENTERED, NULL, visit->enter.path, 1);
}

static void on_leave(void *state, const struct tsprof_visit *visit)
{
    (void)state;
    const uint64_t sum = mix(mix_point(5, &visit->enter), visit->leave_ns);
    publish(MIXED, NULL, visit->enter.path, mix(mix(sum, visit->region), visit->process));
}

static void on_severity(void *state, const struct tsprof_finding *finding)
{
    (void)state;
    uint64_t sum = mix(mix(6, strlen(finding->metric)), finding->path);
    sum = mix(sum, finding->amount);
    if (finding->cause.path != TSPROF_NONE)
        sum = mix_point(sum, &finding->cause);
    publish(MIXED, NULL, finding->path, finding->call ? mix_call(sum, finding->call) : sum);
    if (strcmp(finding->metric, "mpi_latesender") == 0)
        publish(LATE, finding->call, finding->path, finding->amount);
}

static void end(void *state)
{
    (void)state;
    publish(MIXED, NULL, last_path, 7);
}

const struct tsprof_pattern tsprof_pattern = {
    .version = TSPROF_PATTERN_VERSION,
    .name = "witness",
    .metrics = metrics,
    .metric_count = sizeof metrics / sizeof *metrics,
    .begin = begin,
    .on_call = on_call,
    .on_collective = on_collective,
    .on_epoch = on_epoch,
    .on_locked = on_locked,
    .on_enter = on_enter,
    .on_leave = on_leave,
    .on_severity = on_severity,
    .end = end,
};
