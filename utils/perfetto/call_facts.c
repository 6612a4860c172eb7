/* See call_facts.h. */
#include "perfetto/call_facts.h"

#include "print/print.h"

#include <inttypes.h>

void call_facts_begin(struct call_facts *facts, bool is_written)
{
    *facts = (struct call_facts){
        .is_written = is_written, .peer = TRACE_NONE, .root = TRACE_NONE, .comm = TRACE_NONE};
}

static void add_peer(struct call_facts *facts, const struct trace_event *event)
{
    const bool is_first = facts->sends + facts->receives + facts->transfers == 0;
    facts->peer = is_first || facts->peer == event->peer ? event->peer : TRACE_NONE;
    facts->comm = event->comm;
    facts->tag = event->tag;
}

void call_facts_add(struct call_facts *facts, const struct trace_event *event)
{
    switch (event->kind) {
    case TRACE_SEND:
        add_peer(facts, event);
        facts->sends++;
        facts->sent += event->bytes;
        break;
    case TRACE_RECV:
        add_peer(facts, event);
        facts->receives++;
        facts->received += event->bytes;
        break;
    case TRACE_RMA:
        add_peer(facts, event);
        facts->transfers++;
        facts->sent += event->bytes + event->bytes_received;
        break;
    case TRACE_COLLECT:
        facts->comm = event->comm;
        facts->root = event->root;
        facts->collectives++;
        facts->sent += event->bytes;
        facts->received += event->bytes_received;
        break;
    default:
        break;
    }
}

static void write_rank(FILE *stream, const struct trace *trace, const char *key,
                       uint32_t process)
{
    if (process != TRACE_NONE && trace->processes[process].rank != TRACE_NONE)
        fprintf(stream, ",\"%s\":%" PRIu32, key, trace->processes[process].rank);
}

static void write_count(FILE *stream, const char *key, uint64_t count)
{
    fprintf(stream, ",\"%s\":%" PRIu64, key, count);
}

void call_facts_write(const struct call_facts *facts, const struct trace *trace, FILE *stream)
{
    const uint32_t messages = facts->sends + facts->receives;
    if (messages + facts->transfers + facts->collectives == 0)
        return;
    fputs(",\"args\":{\"communicator\":", stream);
    json_string(stream, facts->comm == TRACE_NONE ? "" : trace->comms[facts->comm].name);
    write_rank(stream, trace, "peer", facts->peer);
    write_rank(stream, trace, "root", facts->root);
    if (messages == 1)
        write_count(stream, "tag", facts->tag);
    if (messages > 1)
        write_count(stream, "messages", messages);
    if (facts->sends + facts->collectives > 0)
        write_count(stream, "bytes_sent", facts->sent);
    if (facts->receives + facts->collectives > 0)
        write_count(stream, "bytes_received", facts->received);
    if (facts->transfers > 0)
        write_count(stream, "bytes", facts->sent);
    fputc('}', stream);
}
