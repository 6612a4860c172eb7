/* See write_block.h. */
#include "timeline/write_block.h"

#include <stdlib.h>

static int compare_numbers(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

/* By thread, then by beginning, outer calls first. */
static int compare_calls(const void *a, const void *b)
{
    const struct collected_call *left = a, *right = b;
    if (left->thread != right->thread)
        return compare_numbers(left->thread, right->thread);
    if (left->begin_ns != right->begin_ns)
        return compare_numbers(left->begin_ns, right->begin_ns);
    if (left->end_ns != right->end_ns && left->depth != right->depth)
        return compare_numbers(left->depth, right->depth);
    return compare_numbers(left->end_ns, right->end_ns);
}

static int compare_samples(const void *a, const void *b)
{
    const struct collected_sample *left = a, *right = b;
    return left->thread != right->thread ? compare_numbers(left->thread, right->thread)
                                         : compare_numbers(left->time_ns, right->time_ns);
}

static int compare_messages(const void *a, const void *b)
{
    const struct message *left = a, *right = b;
    return left->sent_ns != right->sent_ns ? compare_numbers(left->sent_ns, right->sent_ns)
                                           : compare_numbers(left->number, right->number);
}

/* The first call, among COUNT sorted ones, of THREAD or a later one. */
static size_t first_call(const struct collected *one, uint32_t thread)
{
    size_t low = 0, high = one->call_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (one->calls[middle].thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t first_sample(const struct collected *one, uint32_t thread)
{
    size_t low = 0, high = one->sample_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (one->samples[middle].thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void encode_calls(const struct collected *one, uint32_t thread, struct encoder *out)
{
    const size_t first = first_call(one, thread), end = first_call(one, thread + 1);
    uint64_t before = one->begin_ns;
    encode_varint(out, end - first);
    for (size_t i = first; i < end; i++) {
        const struct collected_call *call = &one->calls[i];
        encode_varint(out, call->region);
        encode_varint(out, call->depth);
        encode_varint(out, call->begin_ns - before);
        encode_varint(out, call->end_ns - call->begin_ns);
        before = call->begin_ns;
    }
}

static void encode_samples(const struct collected *one, uint32_t thread, struct encoder *out)
{
    const size_t first = first_sample(one, thread), end = first_sample(one, thread + 1);
    uint64_t before = one->begin_ns;
    encode_varint(out, end - first);
    for (size_t i = first; i < end; i++) {
        const struct collected_sample *sample = &one->samples[i];
        const uint64_t time = sample->time_ns > before ? sample->time_ns : before;
        encode_varint(out, sample->region == TRACE_NONE ? 0 : (uint64_t)sample->region + 1);
        encode_varint(out, time - before);
        before = time;
    }
}

static void encode_messages(const struct collected *one, const struct timeline_rows *rows,
                            struct encoder *out)
{
    uint64_t before = one->begin_ns;
    encode_varint(out, one->message_count);
    for (size_t i = 0; i < one->message_count; i++) {
        const struct message *message = &one->messages[i];
        encode_varint(out, rows->of_thread[message->from_thread]);
        encode_varint(out, rows->of_thread[message->to_thread]);
        encode_signed(out, (int64_t)(message->sent_ns - before));
        encode_signed(out, (int64_t)(message->received_ns - message->sent_ns));
        encode_varint(out, message->bytes);
        encode_varint(out, message->tag);
        before = message->sent_ns;
    }
}

void block_encode(struct collected *one, const struct timeline_rows *rows, struct encoder *out)
{
    if (one->call_count > 1)
        qsort(one->calls, one->call_count, sizeof *one->calls, compare_calls);
    if (one->sample_count > 1)
        qsort(one->samples, one->sample_count, sizeof *one->samples, compare_samples);
    if (one->message_count > 1)
        qsort(one->messages, one->message_count, sizeof *one->messages, compare_messages);
    encode_varint(out, rows->count);
    for (size_t row = 0; row < rows->count; row++) {
        encode_calls(one, rows->threads[row], out);
        encode_samples(one, rows->threads[row], out);
    }
    encode_messages(one, rows, out);
}
