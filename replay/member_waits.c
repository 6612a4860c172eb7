/* See member_waits.h. */
#include "replay/member_waits.h"

#include <stdlib.h>

void *publisher_begin(struct tsprof_analysis *analysis,
                      const struct tsprof_analysis_functions *functions)
{
    struct publisher *publisher = calloc(1, sizeof *publisher);
    if (publisher)
        *publisher = (struct publisher){analysis, functions};
    return publisher;
}

void publisher_end(void *publisher)
{
    free(publisher);
}

void publish_member_wait(const struct publisher *publisher, unsigned metric,
                         const struct tsprof_member *member, const struct tsprof_member *other)
{
    const struct tsprof_call *call = member->call;
    const uint64_t until =
        other->start.time_ns < call->leave_ns ? other->start.time_ns : call->leave_ns;
    if (call->blocks && until > call->enter.time_ns)
        publisher->functions->publish(
            publisher->analysis,
            &(struct tsprof_severity){.metric = metric,
                                      .call = call,
                                      .amount = until - call->enter.time_ns,
                                      .cause = other->start});
}

/* Members are in the order of ranks, those of the remote group behind the others. */
static bool is_between_groups(const struct tsprof_collective *collective)
{
    return collective->members[collective->member_count - 1].is_remote;
}

bool waits_for(const struct tsprof_collective *collective, const struct tsprof_member *one,
               const struct tsprof_member *other)
{
    return one != other &&
           (!is_between_groups(collective) || one->is_remote != other->is_remote);
}

/* The last to start of the two groups, or of all. */
static const struct tsprof_member *latest_in(const struct tsprof_collective *collective,
                                             bool is_remote, bool any)
{
    const struct tsprof_member *latest = NULL;
    for (size_t i = 0; i < collective->member_count; i++) {
        const struct tsprof_member *member = &collective->members[i];
        if ((any || member->is_remote == is_remote) &&
            (!latest || member->start.time_ns > latest->start.time_ns))
            latest = member;
    }
    return latest;
}

bool is_of_window(const struct tsprof_collective *collective)
{
    return collective->operation == TSPROF_WIN_CREATE ||
           collective->operation == TSPROF_WIN_FREE ||
           collective->operation == TSPROF_WIN_FENCE;
}

bool all_have_met(const struct tsprof_collective *collective)
{
    /* Readings of the clock are not ordered with what happens around them. */
    enum { ROOM_NS = 500 };
    uint64_t first_out = UINT64_MAX;
    for (size_t i = 0; i < collective->member_count; i++)
        if (collective->members[i].call->leave_ns < first_out)
            first_out = collective->members[i].call->leave_ns;
    const struct tsprof_member *latest = latest_in(collective, false, true);
    return !latest || latest->start.time_ns <= first_out ||
           latest->start.time_ns - first_out <= ROOM_NS;
}

void publish_waits_for_all(const struct publisher *publisher, unsigned metric,
                           const struct tsprof_collective *collective)
{
    const bool any = !is_between_groups(collective);
    const struct tsprof_member *const latest[2] = {latest_in(collective, false, any),
                                                   latest_in(collective, true, any)};
    for (size_t i = 0; i < collective->member_count; i++) {
        const struct tsprof_member *member = &collective->members[i];
        const struct tsprof_member *other = latest[any ? 0 : !member->is_remote];
        if (other && other != member)
            publish_member_wait(publisher, metric, member, other);
    }
}

void publish_completions(const struct publisher *publisher, unsigned metric,
                         const struct tsprof_collective *collective)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < collective->member_count; i++) {
        const struct tsprof_call *call = collective->members[i].call;
        first = call->leave_ns < first ? call->leave_ns : first;
    }
    for (size_t i = 0; i < collective->member_count; i++) {
        const struct tsprof_member *member = &collective->members[i];
        /* Of an operation that does not block, it is the program's choice when to complete it.
         */
        if (member->start.time_ns != member->call->enter.time_ns ||
            member->call->leave_ns <= first)
            continue;
        publisher->functions->publish(
            publisher->analysis,
            &(struct tsprof_severity){.metric = metric,
                                      .call = member->call,
                                      .amount = member->call->leave_ns - first,
                                      .cause = {.path = TSPROF_NONE}});
    }
}
