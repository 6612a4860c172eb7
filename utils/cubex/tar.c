/* A small writer of tar archives.  See tar.h. */
#include "cubex/tar.h"

#include <inttypes.h>
#include <string.h>

#define BLOCK            512
#define MOST_OCTAL_BYTES ((UINT64_C(1) << 33) - 1) /* what eleven octal digits can say */

/* A field of a header: where it is and how long. */
struct field {
    size_t at, length;
};

/* Those that are not left zero. */
static const struct field name_field = {0, 100}, mode_field = {100, 8}, uid_field = {108, 8},
                          gid_field = {116, 8}, size_field = {124, 12}, time_field = {136, 12},
                          checksum_field = {148, 8}, type_field = {156, 1},
                          magic_field = {257, 8}, user_field = {265, 32},
                          group_field = {297, 32};

static void put_text(char *header, struct field field, const char *text)
{
    size_t length = strlen(text);
    memcpy(header + field.at, text, length < field.length ? length : field.length);
}

/* Octal digits up to the field's last byte, which stays zero. */
static void put_octal(char *header, struct field field, uint64_t value)
{
    for (size_t i = field.length - 1; i-- > 0; value >>= 3)
        header[field.at + i] = (char)('0' + (value & 7));
}

/* The sum of all bytes, with blanks where it will be; six digits, zero, blank. */
static void put_checksum(char *header)
{
    uint64_t sum = 0;
    memset(header + checksum_field.at, ' ', checksum_field.length);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)header[i];
    put_octal(header, (struct field){checksum_field.at, checksum_field.length - 1}, sum);
    header[checksum_field.at + checksum_field.length - 2] = '\0';
}

/*
 * Neither user nor time is stored: the same content makes the same archive, whoever writes it
 * and when.
 */
static void write_header(struct tar *tar, const char *name, uint64_t size, const char *type)
{
    char header[BLOCK] = {0};
    put_text(header, name_field, name);
    put_octal(header, mode_field, 0600);
    put_octal(header, uid_field, 0);
    put_octal(header, gid_field, 0);
    put_octal(header, size_field, size > MOST_OCTAL_BYTES ? MOST_OCTAL_BYTES : size);
    put_octal(header, time_field, 0);
    put_text(header, type_field, type);
    memcpy(header + magic_field.at, "ustar\00000", magic_field.length);
    put_text(header, user_field, "nouser");
    put_text(header, group_field, "users");
    put_checksum(header);
    fwrite(header, 1, BLOCK, tar->stream);
}

/* One record, "NN size=BYTES", with its own length in two digits, which CubeLib expects. */
static void write_extension(struct tar *tar, const char *name, uint64_t size)
{
    char record[BLOCK] = {0};
    char extension[BLOCK];
    int length = snprintf(record, sizeof record, "00 size=%" PRIu64 "\n", size);
    record[0] = (char)('0' + length / 10);
    record[1] = (char)('0' + length % 10);
    snprintf(extension, sizeof extension, "PaxHeader/%s", name);
    write_header(tar, extension, (uint64_t)length, "x");
    fwrite(record, 1, BLOCK, tar->stream);
}

bool tar_size_is_safe(uint64_t size)
{
    return size % BLOCK != 0;
}

void tar_begin(struct tar *tar, const char *name, uint64_t size)
{
    if (size > MOST_OCTAL_BYTES)
        write_extension(tar, name, size);
    write_header(tar, name, size, "0");
    tar->size = size;
    tar->written = 0;
}

void tar_write(struct tar *tar, const void *bytes, size_t size)
{
    uint64_t left = tar->size - tar->written;
    size_t taken = size < left ? size : (size_t)left;
    fwrite(bytes, 1, taken, tar->stream);
    tar->written += taken;
}

static void write_zeros(struct tar *tar, uint64_t count)
{
    static const char zeros[BLOCK];
    for (; count > BLOCK; count -= BLOCK)
        fwrite(zeros, 1, BLOCK, tar->stream);
    fwrite(zeros, 1, (size_t)count, tar->stream);
}

void tar_end(struct tar *tar)
{
    uint64_t end = (tar->size + BLOCK - 1) / BLOCK * BLOCK;
    write_zeros(tar, end - tar->written);
}

void tar_finish(struct tar *tar)
{
    write_zeros(tar, 2 * BLOCK);
}
