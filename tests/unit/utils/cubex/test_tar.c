/* Archives that utils/tar.c writes: headers, sizes, padding, and members of 8 GiB and more. */
#include "cubex/tar.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define GIB (UINT64_C(1) << 30)

struct archive {
    struct tar tar;
    char *bytes;
    size_t size;
};

static void begin(struct archive *archive)
{
    *archive = (struct archive){0};
    archive->tar.stream = open_memstream(&archive->bytes, &archive->size);
}

static void end(struct archive *archive)
{
    fclose(archive->tar.stream);
}

static uint64_t octal(const char *field)
{
    return strtoull(field, NULL, 8);
}

/* Readers add the bytes of a header up, with blanks in the place of the sum. */
static bool has_good_sum(const char *header)
{
    uint64_t sum = 8 * ' ';
    for (size_t i = 0; i < 512; i++)
        if (i < 148 || i >= 156)
            sum += (unsigned char)header[i];
    return sum == octal(header + 148);
}

static void test_members(void)
{
    struct archive archive;
    begin(&archive);
    tar_begin(&archive.tar, "0.data", 700);
    for (size_t i = 0; i < 70; i++)
        tar_write(&archive.tar, "0123456789", 10);
    tar_end(&archive.tar);
    tar_begin(&archive.tar, "anchor.xml", 3);
    tar_write(&archive.tar, "abcd", 4);
    tar_end(&archive.tar);
    tar_finish(&archive.tar);
    end(&archive);
    const char *second = archive.bytes + 512 + 1024;
    EQ_INT(archive.size, 512 + 1024 + 512 + 512 + 1024, "blocks of headers, contents and end");
    OK(strcmp(archive.bytes, "0.data") == 0 && strcmp(second, "anchor.xml") == 0, "names");
    OK(octal(archive.bytes + 124) == 700 && octal(second + 124) == 3, "sizes");
    OK(has_good_sum(archive.bytes) && has_good_sum(second), "sums");
    OK(memcmp(archive.bytes + 257, "ustar\00000", 8) == 0, "the format's mark");
    OK(archive.bytes[156] == '0', "an ordinary file");
    OK(memcmp(second + 512, "abc\0", 4) == 0, "no more than was announced is written");
    free(archive.bytes);
}

static void test_missing_content(void)
{
    struct archive archive;
    begin(&archive);
    tar_begin(&archive.tar, "x", 1000);
    tar_write(&archive.tar, "abc", 3);
    tar_end(&archive.tar);
    end(&archive);
    EQ_INT(archive.size, 512 + 1024, "what was not written is zero");
    free(archive.bytes);
}

static void test_large_members(void)
{
    struct archive archive;
    begin(&archive);
    tar_begin(&archive.tar, "7.data", 8 * GIB - 1);
    tar_begin(&archive.tar, "8.data", 8 * GIB);
    tar_begin(&archive.tar, "9.data", 1234567890123);
    end(&archive);
    const char *eight = archive.bytes + 512, *nine = eight + 1536;
    EQ_INT(archive.size, 512 + 2 * 1536, "large ones have a header more, with a block");
    OK(strcmp(archive.bytes + 124, "77777777777") == 0, "8 GiB less a byte fit");
    OK(strcmp(eight, "PaxHeader/8.data") == 0 && eight[156] == 'x', "the extended header");
    OK(octal(eight + 124) == 19 && strcmp(eight + 512, "19 size=8589934592\n") == 0,
       "its record is as long as it says");
    OK(strcmp(nine + 512, "22 size=1234567890123\n") == 0 && octal(nine + 124) == 22,
       "a longer one");
    OK(strcmp(eight + 1024, "8.data") == 0 && has_good_sum(eight) && has_good_sum(eight + 1024),
       "then the member's own");
    free(archive.bytes);
}

static void test_safe_sizes(void)
{
    OK(tar_size_is_safe(511) && tar_size_is_safe(513), "sizes that every reader steps over");
    OK(!tar_size_is_safe(512) && !tar_size_is_safe(1 << 20), "whole blocks");
}

int main(void)
{
    test_members();
    test_missing_content();
    test_large_members();
    test_safe_sizes();
    return tap_done();
}
