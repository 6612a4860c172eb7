/* See hosts.h. */
#include "assemble/hosts.h"

#include "common/format.h"

#include <string.h>

uint32_t hosts_add(struct hosts *hosts, const void *text, size_t length)
{
    return texts_add(&hosts->texts, text, length);
}

void hosts_encode(const struct hosts *hosts, struct encoder *out)
{
    const struct encoder *bytes = &hosts->texts.bytes;
    encode_varint(out, hosts->texts.count);
    encode_bytes(out, bytes->bytes, bytes->size);
    out->failed = out->failed || bytes->failed;
}

void hosts_encode_message(const struct hosts *hosts, struct encoder *out)
{
    texts_encode(&hosts->texts, out);
}

/* Reads a string; false if it is not one that readers of a summary accept. */
static bool is_name(struct decoder *in)
{
    size_t length;
    const char *name = decode_string(in, &length);
    return !in->failed && !memchr(name, '\0', length);
}

/* Whether the LENGTH bytes at TEXT are exactly one host's entry of the section SYSTEM. */
static bool is_host(const char *text, size_t length)
{
    struct decoder in = {(const unsigned char *)text, length, 0, false};
    bool good = is_name(&in);
    uint64_t facts = decode_count(&in, 2);
    for (uint64_t i = 0; i < 2 * facts && good; i++)
        good = is_name(&in);
    return good && facts <= FORMAT_FACTS_MOST && !in.failed && in.at == length;
}

bool hosts_merge(struct hosts *hosts, struct decoder *in, uint32_t **map, uint32_t *count)
{
    return texts_merge(&hosts->texts, in, is_host, map, count);
}

void hosts_free(struct hosts *hosts)
{
    texts_free(&hosts->texts);
}
