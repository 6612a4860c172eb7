/*
 * Copies an archive with its events at other times.  Definitions and all that events say stay
 * as they are, byte for byte, whoever wrote them: only the times in the files of the locations
 * change, and the length of the trace.  See trace.h.
 *
 * A file of OTF2 is a sequence of chunks of one size, all but the last filled up.  A chunk is
 *
 *     3  B  first event (8 bytes)  last event (8 bytes)
 *
 * with B for little endian, and records: a 5 with a time (8 bytes), which holds until the next
 * one, or a type, a length (one byte, or 255 and 8 bytes) and so many bytes; then a 0 if
 * another chunk follows, or a 2.  Of some types there is no length, but one number.  In
 * definitions a 5 is a record like others, that of the clock: resolution, begin, length and
 * more, each a number of bytes and these.
 */
#include "archive/otf2_reader.h"
#include "common/archive_names.h"

#include "print/print.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK = 3,
    LITTLE_ENDIAN_MARK = 'B',
    CHUNK_HEADER = 18,
    TIME = 5,
    CLOCK = 5,
    CLOCK_OFFSET = 6,
    NEXT_CHUNK = 0,
    FILE_END = 2,
    LONG_LENGTH = 0xff,
    ALL_BITS = 0xff
};

/* What has to be added to a location's time TICKS. */
struct clock_offset {
    uint64_t ticks;
    int64_t offset;
};

struct offsets {
    struct clock_offset *list;
    size_t count, room;
};

struct copying {
    const struct trace *trace;
    const char *to; /* the directory */
    trace_mover *move;
    void *context;
    uint64_t chunk_bytes[2]; /* of events, of definitions */
    uint64_t last_ns;        /* of all moved events */
    bool is_known;           /* the last event of the thread was met at its time */
    struct offsets offsets;  /* of the location that is being copied */
    struct error *error;
};

/* Beside the anchor of a copy: says what its times are. */
static const char mark_name[] = ARCHIVE_MARK_MOVED;
static const char mark_text[] = "Times in this archive are predicted, all by one clock.\n";

struct content {
    unsigned char *bytes;
    size_t length;
};

static uint64_t get_number(const unsigned char *bytes, unsigned count)
{
    uint64_t number = 0;
    for (unsigned i = count; i-- > 0;)
        number = number << 8 | bytes[i];
    return number;
}

static void put_number(unsigned char *bytes, uint64_t number, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
}

/* DIRECTORY/NAME, for free(). */
static char *path_of(const char *directory, const char *name)
{
    struct text text = {0};
    text_add(&text, directory);
    text_add(&text, "/");
    text_add(&text, name);
    text_add_bytes(&text, "", 1);
    return text.bytes;
}

static bool read_content(const char *path, struct content *content, struct error *error)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    *content = (struct content){0};
    if (file && fstat(fileno(file), &status) == 0 && status.st_size >= 0) {
        content->length = (size_t)status.st_size;
        content->bytes = allocate(content->length + 1, 1);
        if (fread(content->bytes, 1, content->length, file) != content->length)
            content->length = 0;
    }
    const bool good = content->length > 0;
    if (!good)
        error_set(error, "%s: cannot be read: %s", path, errno ? strerror(errno) : "empty");
    if (file)
        fclose(file);
    return good;
}

static bool write_content(const char *path, const struct content *content, struct error *error)
{
    FILE *file = fopen(path, "wbx");
    const bool good =
        file && fwrite(content->bytes, 1, content->length, file) == content->length;
    if ((file && fclose(file) != 0) || !good)
        return error_set(error, "%s: cannot be written: %s", path, strerror(errno));
    return true;
}

/* The length of the record at BYTES, of REST bytes; 0 if it does not fit. */
static size_t record_length(const unsigned char *bytes, size_t rest)
{
    if (rest < 2)
        return 0;
    if (bytes[1] != LONG_LENGTH)
        return 2u + bytes[1] <= rest ? 2u + bytes[1] : 0;
    if (rest < 10)
        return 0;
    const uint64_t length = get_number(bytes + 2, 8);
    return length <= rest - 10 ? 10 + (size_t)length : 0;
}

/* Whether an event of TYPE has no length, but one number: how many bytes it has, and these, or
 * 255 if all its bits are set. */
static bool is_one_number(unsigned char type)
{
    static const bool are[256] = {
        [12] = true, [13] = true, [16] = true, [17] = true, [20] = true,
        [21] = true, [24] = true, [28] = true, [29] = true, [30] = true};
    return are[type];
}

/* The length of the event at BYTES, of REST bytes; 0 if it does not fit. */
static size_t event_length(const unsigned char *bytes, size_t rest)
{
    return rest > 1 && is_one_number(bytes[0]) && bytes[1] == ALL_BITS
               ? 2
               : record_length(bytes, rest);
}

/* Ticks of the trace's clock become nanoseconds and back. */
static uint64_t to_ns(const struct otf2_reader *reader, uint64_t ticks)
{
    const unsigned __int128 since = ticks > reader->begin ? ticks - reader->begin : 0;
    return (uint64_t)(since * 1000000000 / reader->resolution);
}

static uint64_t to_ticks(const struct otf2_reader *reader, uint64_t ns)
{
    return reader->begin + (uint64_t)((unsigned __int128)ns * reader->resolution / 1000000000);
}

/* TICKS of a location's clock by that of the trace. */
static uint64_t to_global(const struct offsets *offsets, uint64_t ticks)
{
    size_t i = 0;
    if (offsets->count == 0)
        return ticks;
    while (i + 2 < offsets->count && ticks >= offsets->list[i + 1].ticks)
        i++;
    const struct clock_offset *one = &offsets->list[i];
    if (offsets->count == 1 || one[1].ticks == one->ticks)
        return ticks + (uint64_t)one->offset;
    const double slope =
        (double)(one[1].offset - one->offset) / ((double)one[1].ticks - (double)one->ticks);
    const double passed = (double)((int64_t)ticks - (int64_t)one->ticks);
    return ticks + (uint64_t)(one->offset + (int64_t)(slope * passed));
}

/* When an event of THREAD was, whose clock says NS. */
static uint64_t corrected(const struct copying *copying, uint32_t thread, uint64_t ns)
{
    struct corrections *corrections = copying->trace->corrections;
    return corrections ? ns + corrections_at_time(corrections, thread, ns) : ns;
}

/* Moves the time at BYTES, of THREAD. */
static void move_time(struct copying *copying, uint32_t thread, unsigned char *bytes)
{
    enum { ROUNDED_NS = 10 };
    const struct otf2_reader *reader = copying->trace->reader;
    const uint64_t measured = to_ns(reader, to_global(&copying->offsets, get_number(bytes, 8))),
                   ns = copying->move(copying->context, thread,
                                      corrected(copying, thread, measured)),
                   last = reader->states[thread].last_ns;
    copying->is_known |= measured + ROUNDED_NS >= last && last + ROUNDED_NS >= measured;
    if (ns > copying->last_ns)
        copying->last_ns = ns;
    put_number(bytes, to_ticks(reader, ns), 8);
}

/* Moves all events of CONTENT; false if it is not what is expected. */
static bool move_events(struct copying *copying, uint32_t thread, const struct content *content)
{
    unsigned char *bytes = content->bytes;
    size_t chunk = 0, at = 0;
    if (copying->chunk_bytes[0] == 0)
        return false;
    while (at < content->length) {
        const size_t rest = content->length - at;
        if (at == chunk) {
            if (rest < CHUNK_HEADER || bytes[at] != CHUNK ||
                bytes[at + 1] != LITTLE_ENDIAN_MARK)
                return false;
            at += CHUNK_HEADER;
        } else if (bytes[at] == FILE_END) {
            return true;
        } else if (bytes[at] == NEXT_CHUNK) {
            chunk += copying->chunk_bytes[0];
            at = chunk;
        } else if (bytes[at] == TIME) {
            if (rest < 9)
                return false;
            move_time(copying, thread, bytes + at + 1);
            at += 9;
        } else {
            const size_t length = event_length(bytes + at, rest);
            if (length == 0)
                return false;
            at += length;
        }
    }
    return true;
}

static bool copy_events(struct copying *copying, const char *from, const char *to,
                        uint32_t thread)
{
    struct content content;
    bool good = read_content(from, &content, copying->error);
    copying->is_known = copying->trace->reader->states[thread].events == 0;
    if (good && !move_events(copying, thread, &content))
        good =
            error_set(copying->error, "%s: is no file of events that can be rewritten", from);
    if (good && !copying->is_known)
        good = error_set(copying->error,
                         "%s: has a clock of its own, so that no trace can be "
                         "written of it",
                         from);
    good = good && write_content(to, &content, copying->error);
    free(content.bytes);
    return good;
}

/* The next record of definitions in CONTENT at AT or behind it that is of KIND, in the first
 * chunk; 0 if there is none. */
static size_t find_record(const struct content *content, size_t at, unsigned char kind)
{
    while (at < content->length && content->bytes[at] != FILE_END &&
           content->bytes[at] != NEXT_CHUNK) {
        const size_t length = record_length(content->bytes + at, content->length - at);
        if (content->bytes[at] == kind && length > 0)
            return at;
        if (length == 0)
            return 0;
        at += length;
    }
    return 0;
}

/* Takes what the definitions in CONTENT say of the location's clock out of them. */
static void take_offsets(struct copying *copying, const struct content *content)
{
    struct offsets *offsets = &copying->offsets;
    size_t at = CHUNK_HEADER;
    offsets->count = 0;
    while ((at = find_record(content, at, CLOCK_OFFSET)) != 0) {
        unsigned char *bytes = content->bytes + at;
        const size_t length = record_length(bytes, content->length - at);
        const unsigned count = length > 10 && bytes[1] != LONG_LENGTH ? bytes[10] : LONG_LENGTH;
        if (count <= 8 && 11 + count <= length) {
            offsets->list =
                grow_list(offsets->list, offsets->count, &offsets->room, sizeof *offsets->list);
            offsets->list[offsets->count++] = (struct clock_offset){
                get_number(bytes + 2, 8), (int64_t)get_number(bytes + 11, count)};
            put_number(bytes + 11, 0, count);
        }
        at += length;
    }
}

/* Puts the length of the trace where it stands, in as many bytes as it has there: the most that
 * these hold if it does not fit. */
static void set_length(const struct copying *copying, const struct content *content)
{
    const struct otf2_reader *reader = copying->trace->reader;
    const size_t found = find_record(content, CHUNK_HEADER, CLOCK);
    if (found == 0)
        return;
    unsigned char *clock = content->bytes + found;
    unsigned char *at = clock + 2;
    const unsigned char *end = at + clock[1];
    for (int i = 0; i < 2 && at < end; i++)
        at += *at <= 8 ? 1 + *at : 1;
    if (at >= end || *at > 8 || at + 1 + *at > end)
        return;
    const uint64_t length = to_ticks(reader, copying->last_ns) - reader->begin;
    const uint64_t most = *at < 8 ? (UINT64_C(1) << 8 * *at) - 1 : UINT64_MAX;
    put_number(at + 1, length < most ? length : most, *at);
}

/* Copies definitions: those that all locations share, or those of one. */
static bool copy_definitions(struct copying *copying, const char *from, const char *to,
                             bool are_shared)
{
    struct content content;
    bool good = read_content(from, &content, copying->error);
    if (good && are_shared)
        set_length(copying, &content);
    else if (good)
        take_offsets(copying, &content);
    good = good && write_content(to, &content, copying->error);
    free(content.bytes);
    return good;
}

static bool copy_file(struct copying *copying, const char *from, const char *to)
{
    struct content content;
    const bool good = read_content(from, &content, copying->error) &&
                      write_content(to, &content, copying->error);
    free(content.bytes);
    return good;
}

/* NAME is that of a location's file: its number and ENDING. */
static bool is_location(const char *name, const char *ending, uint64_t *location)
{
    char *end;
    *location = strtoull(name, &end, 10);
    return end != name && strcmp(end, ending) == 0;
}

/* The events of LOCATION, and before that its definitions, if it has any. */
static bool copy_location(struct copying *copying, const char *from, const char *to,
                          uint64_t location)
{
    const uint32_t thread = reference_find(&copying->trace->reader->threads, location);
    struct text name = {0};
    bool good = thread != TRACE_NONE;
    copying->offsets.count = 0;
    for (int i = 0; good && i < 2; i++) {
        text_clear(&name);
        text_addf(&name, "%" PRIu64 "%s", location, i == 0 ? ".def" : ".evt");
        char *source = path_of(from, text_string(&name)),
             *target = path_of(to, text_string(&name));
        if (i > 0)
            good = copy_events(copying, source, target, thread);
        else if (access(source, F_OK) == 0)
            good = copy_definitions(copying, source, target, false);
        free(source);
        free(target);
    }
    text_free(&name);
    return good || thread == TRACE_NONE;
}

static bool copy_locations(struct copying *copying, const char *from, const char *to)
{
    DIR *directory = opendir(from);
    bool good = directory != NULL && mkdir(to, 0777) == 0;
    if (!good)
        error_set(copying->error, "%s: cannot be copied to %s: %s", from, to, strerror(errno));
    for (const struct dirent *entry; good && (entry = readdir(directory)) != NULL;) {
        uint64_t location;
        if (is_location(entry->d_name, ".evt", &location))
            good = copy_location(copying, from, to, location);
    }
    if (directory)
        closedir(directory);
    return good;
}

/* The anchor without its ending, for free(). */
static char *stem_of(const char *anchor)
{
    struct text text = {0};
    text_add_bytes(&text, anchor, strlen(anchor) - strlen(".otf2"));
    text_add_bytes(&text, "", 1);
    return text.bytes;
}

static bool write_mark(struct copying *copying)
{
    const struct content content = {(unsigned char *)(uintptr_t)mark_text,
                                    sizeof mark_text - 1};
    char *path = path_of(copying->to, mark_name);
    const bool good = write_content(path, &content, copying->error);
    free(path);
    return good;
}

bool otf2_is_moved(const char *anchor)
{
    struct text directory = {0};
    const char *end = strrchr(anchor, '/');
    text_add(&directory, ".");
    if (end) {
        text_clear(&directory);
        text_add_bytes(&directory, anchor, (size_t)(end - anchor));
        text_add_bytes(&directory, "", 1);
    }
    char *mark = path_of(text_string(&directory), mark_name);
    const bool is_there = access(mark, F_OK) == 0;
    free(mark);
    text_free(&directory);
    return is_there;
}

static bool copy_archive(struct copying *copying)
{
    const char *anchor = copying->trace->path;
    char *stem = stem_of(anchor), *locations = path_of(copying->to, "traces");
    struct text definitions = {0}, copied = {0};
    text_addf(&definitions, "%s.def", stem);
    text_addf(&copied, "%s.def", locations);
    char *copied_anchor = path_of(copying->to, "traces.otf2");
    const bool good =
        copy_locations(copying, stem, locations) &&
        copy_definitions(copying, text_string(&definitions), text_string(&copied), true) &&
        copy_file(copying, anchor, copied_anchor) && write_mark(copying);
    free(stem);
    free(locations);
    free(copied_anchor);
    text_free(&definitions);
    text_free(&copied);
    return good;
}

/* Removes what copy_archive makes, and nothing else. */
static void remove_archive(const char *path)
{
    char *locations = path_of(path, "traces"), *anchor = path_of(path, "traces.otf2"),
         *definitions = path_of(path, "traces.def"), *mark = path_of(path, mark_name);
    DIR *directory = opendir(locations);
    for (const struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
        uint64_t ignored;
        char *file = path_of(locations, entry->d_name);
        if (is_location(entry->d_name, ".evt", &ignored) ||
            is_location(entry->d_name, ".def", &ignored))
            unlink(file);
        free(file);
    }
    if (directory)
        closedir(directory);
    rmdir(locations);
    unlink(anchor);
    unlink(definitions);
    unlink(mark);
    rmdir(path);
    free(locations);
    free(anchor);
    free(definitions);
    free(mark);
}

/* Whether PATH is a directory with an archive in it, and not the one that is read. */
static bool may_replace(const struct trace *trace, const char *path)
{
    char *anchor = path_of(path, "traces.otf2");
    const bool may = access(anchor, F_OK) == 0 && !output_is(anchor, trace->path);
    free(anchor);
    return may;
}

static bool begin_archive(const struct copying *copying, bool replaces)
{
    if (replaces && may_replace(copying->trace, copying->to))
        remove_archive(copying->to);
    if (mkdir(copying->to, 0777) == 0)
        return true;
    if (errno == EEXIST)
        return error_set(copying->error, "%s: already exists; not overwritten%s", copying->to,
                         replaces ? ", as it is no other archive" : " without --force");
    return error_set(copying->error, "%s: cannot be written: %s", copying->to, strerror(errno));
}

bool trace_write_moved(const struct trace *trace, const char *path, bool replaces,
                       trace_mover *move, void *context, struct error *error)
{
    struct copying copying = {
        .trace = trace, .to = path, .move = move, .context = context, .error = error};
    if (OTF2_Reader_GetChunkSize(trace->reader->reader, &copying.chunk_bytes[0],
                                 &copying.chunk_bytes[1]) != OTF2_SUCCESS ||
        copying.chunk_bytes[0] == 0 || trace->reader->resolution == 0)
        return error_set(error, "%s: cannot be copied", trace->path);
    if (!begin_archive(&copying, replaces))
        return false;
    if (trace->corrections)
        corrections_rewind(trace->corrections);
    const bool good = copy_archive(&copying);
    free(copying.offsets.list);
    if (!good)
        remove_archive(path);
    return good;
}
