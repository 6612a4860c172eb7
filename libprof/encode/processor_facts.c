/* See processor_facts.h. */
#include "encode/processor_facts.h"

#include <string.h>

unsigned processor_facts_count_async(const struct processor_set *set)
{
    unsigned count = 0;
    for (unsigned word = 0; word < PROCESSOR_WORDS; word++)
        count += set->words[word] != 0;
    return count;
}

void processor_facts_encode_async(const struct processor_set *set, struct encoder *out)
{
    static const char name[] = "processors.";
    for (unsigned word = 0; word < PROCESSOR_WORDS; word++) {
        const char digits[] = {(char)('0' + word / 10), (char)('0' + word % 10)};
        /* Without a zero in front. */
        const size_t shown = word < 10 ? 1 : 2;
        if (set->words[word] == 0)
            continue;
        encode_varint(out, sizeof name - 1 + shown);
        encode_bytes(out, name, sizeof name - 1);
        encode_bytes(out, digits + 2 - shown, shown);
        encode_varint(out, set->words[word]);
    }
}
