/* What reading a trace needs besides OTF2.  See trace.h. */
#include "archive/trace.h"

void trace_set_corrections(struct trace *trace, struct corrections *corrections)
{
    corrections_free(trace->corrections);
    trace->corrections = corrections;
}

void trace_use_threads(struct trace *trace, unsigned threads)
{
    trace->reads_ahead = threads > 1;
    trace->decoders = threads > 2 ? threads - 2 : 0;
}

uint32_t trace_peer(const struct trace *trace, uint32_t comm, uint32_t process, uint32_t rank)
{
    if (comm >= trace->comm_count)
        return TRACE_NONE;
    const struct trace_comm *of = &trace->comms[comm];
    if (of->is_self)
        return process;
    if (of->other_count > 0) {
        /* Between two groups: ranks are those of the group that one is not in. */
        for (size_t i = 0; i < of->member_count; i++)
            if (of->members[i] == process)
                return rank < of->other_count ? of->others[rank] : TRACE_NONE;
    }
    return rank < of->member_count ? of->members[rank] : TRACE_NONE;
}

bool trace_is_alike(const struct trace *again, const struct trace *trace)
{
    return again->process_count == trace->process_count &&
           again->thread_count == trace->thread_count &&
           again->region_count == trace->region_count &&
           again->context_count == trace->context_count &&
           again->comm_count == trace->comm_count && again->length_ns == trace->length_ns;
}
