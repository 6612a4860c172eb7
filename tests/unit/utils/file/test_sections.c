/* Contents become stored bytes and entries, and what is written so can be read. */
#include "assemble/sections.h"
#include "file/container.h"
#include "file/zstd_codec.h"
#include "tap.h"
#include "tests/unit/utils/summary_maker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "test_sections.XXXXXX";

/* SIZE bytes: all alike, or, with NOISE, so that nothing can be made of them. */
static struct encoder content(size_t size, bool noise)
{
    struct encoder out = {0};
    uint64_t random = 1;
    for (size_t i = 0; i < size; i++) {
        random = random * UINT64_C(6364136223846793005) + 1;
        unsigned char byte = noise ? (unsigned char)(random >> 56) : 7;
        encode_bytes(&out, &byte, 1);
    }
    return out;
}

static void add(struct sections *sections, size_t size, bool noise)
{
    struct encoder bytes = content(size, noise);
    sections_add(sections, SECTION_LOCATION, (uint32_t)sections->count, &bytes);
}

/* The whole file: header, map, and the stored bytes after a gap of GAP bytes. */
static void write_file(const struct sections *sections, size_t gap)
{
    struct encoder out = {0};
    const uint64_t front = FORMAT_HEADER_BYTES + sections->count * FORMAT_SECTION_BYTES + gap;
    const struct summary_header header = {.state = FORMAT_COMPLETE,
                                          .size = front + sections->stored.size,
                                          .mark = 99,
                                          .entries = (uint32_t)sections->count};
    summary_header_encode(&header, &out);
    sections_encode_map(sections, front, 5, &out);
    memset(encode_room(&out, gap), 0xee, gap);
    encode_bytes(&out, sections->stored.bytes, sections->stored.size);
    OK(!out.failed && maker_save(path, out.bytes, out.size), "a file of %zu bytes", out.size);
    encoder_free(&out);
}

/* Whether section NUMBER of the file is what content() makes. */
static bool holds(const struct container *container, size_t number, size_t size, bool noise)
{
    struct error error;
    unsigned char *bytes;
    const struct section *section = &container->sections[number];
    if (!container_read(container, section, &bytes, &error)) {
        printf("# %s\n", error.text);
        return false;
    }
    struct encoder wanted = content(size, noise);
    bool same = section->decoded_bytes == size && memcmp(bytes, wanted.bytes, size) == 0;
    free(bytes);
    encoder_free(&wanted);
    return same && section->location == 5 + number;
}

static void test_what_is_written_can_be_read(void)
{
    static const struct {
        size_t size;
        bool noise;
        enum format_encoding encoding;
        const char *what;
    } cases[] = {
        {10, false, ENCODING_STORED, "a small one is stored as it is"},
        {5000, true, ENCODING_STORED, "so is one that does not get smaller"},
        {5000, false, ENCODING_ZSTD, "a frame"},
        {20000000, false, ENCODING_ZSTD, "a frame that stands for very much"},
    };
    enum { CASES = sizeof cases / sizeof cases[0] };
    struct sections sections = {.pack = zstd_codec_pack};
    struct container container;
    struct error error;
    for (size_t i = 0; i < CASES; i++)
        add(&sections, cases[i].size, cases[i].noise);
    OK(!sections.failed && sections.count == CASES, "all are there");
    write_file(&sections, 13);
    OK(container_open(&container, path, &error), "it can be opened");
    for (size_t i = 0; i < CASES; i++) {
        const struct section *section = &container.sections[i];
        OK(section->encoding == cases[i].encoding &&
               holds(&container, i, cases[i].size, cases[i].noise),
           "%s", cases[i].what);
        OK(section->decoded_bytes <= FORMAT_RATIO_MOST * section->stored_bytes,
           "%llu bytes for %zu", (unsigned long long)section->stored_bytes, cases[i].size);
    }
    container_close(&container);
    sections_free(&sections);
}

static size_t refuse(void *to, size_t room, const void *from, size_t size)
{
    memset(to, 0x55, room < size ? room : size);
    (void)from;
    return 0;
}

static void test_without_a_compressor_all_is_stored(void)
{
    sections_pack *const packs[] = {NULL, refuse};
    for (size_t i = 0; i < 2; i++) {
        struct sections sections = {.pack = packs[i]};
        struct container container;
        struct error error;
        add(&sections, 3000, false);
        add(&sections, 3000, true);
        write_file(&sections, 0);
        OK(container_open(&container, path, &error) && holds(&container, 0, 3000, false) &&
               holds(&container, 1, 3000, true),
           "%s", i ? "one that fails" : "none");
        EQ_INT(sections.stored.size, 6000, "bytes are those of the contents");
        container_close(&container);
        sections_free(&sections);
    }
}

static void test_a_content_that_failed_is_known(void)
{
    struct sections sections = {.pack = zstd_codec_pack};
    struct encoder failed = {.failed = true};
    sections_add(&sections, SECTION_RUN, FORMAT_NO_LOCATION, &failed);
    OK(sections.failed, "the whole has failed");
    sections_free(&sections);
}

int main(void)
{
    int file = mkstemp(path);
    if (file >= 0)
        close(file);
    test_what_is_written_can_be_read();
    test_without_a_compressor_all_is_stored();
    test_a_content_that_failed_is_known();
    unlink(path);
    return tap_done();
}
