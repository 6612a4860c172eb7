/*
 * Fuzz target: the container of a summary.  The input is a file; the checksums of its header
 * and of its map are made right, and those of sections where the first bit of the input says
 * so.
 *
 * `tsprof info` and one table must end with status 0 or 1, and one line if it is 1.
 */
#include "common/codec.h"
#include "common/crc32.h"
#include "common/format.h"
#include "file/zstd_codec.h"
#include "fuzz.h"
#include "image.h"
#include "tests/unit/utils/summary_maker.h"
#include "whole_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 1 << 16,
    COUNT = 32, /* in the header: entries of the map */
    HEADER_CRC = 60,
    OFFSET = 16, /* in an entry */
    STORED = 24,
    CRC = 40,
    ENTRY_CRC = 44
};

static void put(uint8_t *at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = size; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static void seal_section(uint8_t *file, size_t size, uint8_t *entry)
{
    uint64_t offset = get(entry + OFFSET, 8), stored = get(entry + STORED, 8);
    if (offset <= size && stored <= size - offset)
        put(entry + CRC, crc32_update(0, file + offset, (size_t)stored), 4);
}

/* Makes the checksums right, as far as what they are of is inside the file. */
static void seal(uint8_t *file, size_t size, bool sections)
{
    if (size < FORMAT_HEADER_BYTES)
        return;
    uint64_t count = get(file + COUNT, 4),
             room = (size - FORMAT_HEADER_BYTES) / FORMAT_SECTION_BYTES;
    for (uint64_t i = 0; i < count && i < room; i++) {
        uint8_t *entry = file + FORMAT_HEADER_BYTES + i * FORMAT_SECTION_BYTES;
        if (sections)
            seal_section(file, size, entry);
        put(entry + ENTRY_CRC, crc32_update(0, entry, ENTRY_CRC), 4);
    }
    put(file + HEADER_CRC, crc32_update(0, file, HEADER_CRC), 4);
}

static void run(const char *const *arguments, enum run_output output)
{
    struct run_seen seen = run_command(arguments, output);
    const char *fault = seen.out.fault ? seen.out.fault : seen.errors.fault;
    if (seen.status < 0 || seen.status > 1)
        fault = "an odd status";
    else if (seen.errors.lines > 1 ||
             (seen.errors.lines > 0) != (seen.status == 1 && seen.out.lines < 2))
        fault = "too much was said, or nothing";
    if (!fault)
        return;
    fprintf(stderr, "fuzz_container: tsprof %s: %s; status %d, %s\n", arguments[0], fault,
            seen.status, seen.message);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[MOST];
    if (size < 1 || size > MOST)
        return 0;
    memcpy(file, data + 1, size - 1);
    seal(file, size - 1, data[0] & 1);
    const char *path = memory_file(0, file, size - 1);
    run((const char *const[]){"info", path, NULL}, RUN_TEXT);
    run((const char *const[]){"export", path, "--what", "regions", NULL}, RUN_TABLE);
    return 0;
}

/* With its sections compressed or not, and their checksums made right or not. */
size_t fuzz_seed(size_t number, uint8_t *data, size_t most)
{
    static uint8_t bytes[MOST];
    struct image image;
    struct maker maker;
    struct encoder file = {0};
    size_t size = 0;
    if (number > 3)
        return 0;
    maker_kept(&maker);
    image_parse(&image, bytes, image_of_maker(&maker, bytes, sizeof bytes));
    maker_free(&maker);
    image_build(&image, number & 2 ? zstd_codec_pack : NULL, &file);
    if (!file.failed && file.size < most) {
        data[0] = number & 1;
        memcpy(data + 1, file.bytes, file.size);
        size = file.size + 1;
    }
    encoder_free(&file);
    return size;
}
