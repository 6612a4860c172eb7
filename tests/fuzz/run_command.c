/* Calling the command and looking at what it writes.  See whole_command.h. */
#include "whole_command.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILES = 4, ARGUMENTS_MOST = 16 };

/* An output being looked at, byte by byte. */
struct watch {
    struct output_seen *seen;
    bool table;
    char *message; /* its beginning, or NULL */
    /* The character so far. */
    unsigned char character[4];
    unsigned length, wanted;
    unsigned char last;
    /* The table. */
    bool quoted;
    size_t fields, columns;
};

static void note(struct watch *watch, const char *fault)
{
    if (!watch->seen->fault)
        watch->seen->fault = fault;
}

static void see_field(struct watch *watch, unsigned char byte)
{
    if (byte == '"')
        watch->quoted = !watch->quoted;
    else if (!watch->quoted && byte == ',')
        watch->fields++;
    else if (!watch->quoted && byte == '\n') {
        if (watch->columns == 0)
            watch->columns = watch->fields + 1;
        if (watch->fields + 1 != watch->columns)
            note(watch, "a record has another number of fields than the first");
        watch->fields = 0;
    }
}

/* A whole character of more than one byte.  Not by common/printable.c, which is judged. */
static void see_wide(struct watch *watch)
{
    const unsigned char *c = watch->character;
    if (c[0] == 0xc2 && c[1] < 0xa0)
        note(watch, "a control character of eight bits");
    else if (c[0] == 0xe2 && c[1] == 0x80 &&
             ((c[2] >= 0xa8 && c[2] <= 0xae) || c[2] == 0x8e || c[2] == 0x8f))
        note(watch, "a character that turns the direction, or separates lines");
    else if (c[0] == 0xe2 && c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9)
        note(watch, "a character that isolates a direction");
    else if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90) ||
             (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf4 && c[1] >= 0x90))
        note(watch, "what is not UTF-8");
}

static void see_plain(struct watch *watch, unsigned char byte)
{
    bool allowed = byte == '\n' || (watch->table && (byte == '\t' || byte == '\r'));
    if ((byte < 0x20 || byte == 0x7f) && !allowed)
        note(watch, "a control character");
    watch->seen->lines += byte == '\n';
}

static void see_byte(struct watch *watch, unsigned char byte)
{
    if (watch->message && watch->seen->bytes < sizeof(((struct run_seen *)0)->message) - 1)
        watch->message[watch->seen->bytes] = (char)byte;
    watch->seen->bytes++;
    watch->last = byte;
    if (watch->table)
        see_field(watch, byte);
    if (watch->wanted > 0) {
        if ((byte & 0xc0) != 0x80)
            note(watch, "what is not UTF-8");
        watch->character[watch->length++] = byte;
        if (watch->length < watch->wanted)
            return;
        see_wide(watch);
        watch->wanted = 0;
    } else if (byte < 0x80) {
        see_plain(watch, byte);
    } else if (byte < 0xc2 || byte > 0xf4) {
        note(watch, "what is not UTF-8");
    } else {
        watch->wanted = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
        watch->length = 1;
        watch->character[0] = byte;
    }
}

static ssize_t see(void *context, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        see_byte(context, (unsigned char)bytes[i]);
    return (ssize_t)size;
}

static FILE *open_watch(struct watch *watch)
{
    FILE *stream = fopencookie(watch, "w", (cookie_io_functions_t){.write = see});
    if (!stream)
        abort();
    return stream;
}

static void close_watch(struct watch *watch, FILE *stream)
{
    fclose(stream);
    if (watch->seen->bytes > 0 && watch->last != '\n')
        note(watch, "no line break at the end");
    if (watch->quoted)
        note(watch, "an open quote");
}

struct run_seen run_command(const char *const *arguments, enum run_output output)
{
    static char name[] = "tsprof";
    struct run_seen seen = {0};
    struct watch out = {.seen = &seen.out, .table = output == RUN_TABLE};
    struct watch errors = {.seen = &seen.errors, .message = seen.message};
    FILE *saved_out = stdout, *saved_errors = stderr;
    char *list[ARGUMENTS_MOST + 2] = {name};
    int count = 1;
    while (count <= ARGUMENTS_MOST && arguments[count - 1]) {
        list[count] = (char *)arguments[count - 1];
        count++;
    }
    /* The C library allows it, and the sanitizers' own messages stay visible. */
    stdout = open_watch(&out);
    stderr = open_watch(&errors);
    seen.status = tsprof_main(count, list);
    close_watch(&out, stdout);
    close_watch(&errors, stderr);
    stdout = saved_out;
    stderr = saved_errors;
    return seen;
}

const char *memory_file(unsigned number, const void *bytes, size_t size)
{
    static char paths[FILES][32];
    static int files[FILES];
    if (!paths[number][0]) {
        files[number] = memfd_create("summary", MFD_CLOEXEC);
        snprintf(paths[number], sizeof paths[number], "/proc/self/fd/%d", files[number]);
    }
    const char *at = bytes;
    if (ftruncate(files[number], 0) != 0)
        abort();
    for (size_t done = 0; done < size;) {
        ssize_t written = pwrite(files[number], at + done, size - done, (off_t)done);
        if (written <= 0)
            abort();
        done += (size_t)written;
    }
    return paths[number];
}

static char directory[] = "/tmp/tsprof-fuzz-XXXXXX";

static void remove_directory(void)
{
    rmdir(directory);
}

const char *absent_file(void)
{
    static char path[64];
    if (!path[0]) {
        if (!mkdtemp(directory))
            abort();
        atexit(remove_directory);
        snprintf(path, sizeof path, "%s/out.cubex", directory);
    }
    unlink(path);
    return path;
}
