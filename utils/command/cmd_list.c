/* tsprof list: the summaries of a directory.  Columns are an interface and never change. */
#include "command/command.h"

#include "file/file.h"
#include "print/print.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define SUFFIX  ".tsprof"
#define COLUMNS "file,program,start,ranks,threads,time,mpi,iterations,overhead,state"

enum {
    PROGRAM_COLUMN = 12,
    START_COLUMN = 20,
    NUMBER_COLUMN = 7,
    TIME_COLUMN = 9,
    START_SIZE = 32
};

struct entry {
    char *path;
    const char *name; /* in `path`: after the directory that was named */
    struct brief brief;
    char began[START_SIZE]; /* what it is sorted by: the start, or when the file was written */
};

struct listing {
    struct entry *entries;
    size_t count, capacity;
    bool failed;
};

static bool is_summary(const char *name)
{
    const size_t length = strlen(name), tail = strlen(SUFFIX);
    return length > tail && strcmp(name + length - tail, SUFFIX) == 0;
}

static void note_begin(struct entry *entry)
{
    struct stat status;
    struct tm when;
    if (entry->brief.start[0])
        snprintf(entry->began, sizeof entry->began, "%s", entry->brief.start);
    else if (stat(entry->path, &status) == 0 && gmtime_r(&status.st_mtim.tv_sec, &when))
        strftime(entry->began, sizeof entry->began, "%Y-%m-%dT%H:%M:%SZ", &when);
}

/* Reads PATH, which becomes the listing's; complains if that fails. */
static void add_file(struct listing *listing, char *path, size_t directory_length)
{
    struct error error;
    struct entry entry = {.path = path, .name = path + directory_length};
    if (!brief_read(&entry.brief, path, &error)) {
        complain("%s", error.text);
        listing->failed = true;
        free(path);
        return;
    }
    note_begin(&entry);
    if (listing->count == listing->capacity) {
        listing->capacity = listing->capacity ? 2 * listing->capacity : 64;
        listing->entries =
            realloc(listing->entries, listing->capacity * sizeof *listing->entries);
        if (!listing->entries)
            out_of_memory();
    }
    listing->entries[listing->count++] = entry;
}

static char *joined(const char *directory, const char *name)
{
    char *path;
    if (asprintf(&path, "%s%s%s", directory, *directory ? "/" : "", name) < 0)
        out_of_memory();
    return path;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* PREFIX is what names begin with: "" for this directory. */
static bool add_directory(struct listing *listing, const char *prefix, struct error *error)
{
    const struct dirent *entry;
    const char *path = *prefix ? prefix : ".";
    DIR *directory = opendir(path);
    if (!directory)
        return error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    while ((entry = readdir(directory))) {
        char *file = is_summary(entry->d_name) ? joined(prefix, entry->d_name) : NULL;
        if (file && is_directory(file))
            free(file);
        else if (file)
            add_file(listing, file, strlen(file) - strlen(entry->d_name));
    }
    closedir(directory);
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    const int newer = strcmp(right->began, left->began);
    return newer ? newer : strcmp(left->name, right->name);
}

/* Of the time of all threads; negative: that means nothing. */
static double share(const struct brief *brief, double part)
{
    return brief->derived || brief->wall_ns <= 0 ? -1 : part / brief->wall_ns;
}

static double overhead_share(const struct brief *brief)
{
    return brief->of_trace ? -1 : share(brief, brief->overhead_ns);
}

static const char *state_name(const struct brief *brief)
{
    return brief->state == FORMAT_COMPLETE ? "complete" : "partial";
}

static void write_share(struct table *table, double value)
{
    if (value < 0)
        table_empty(table);
    else
        table_value(table, value);
}

static void write_text_or_nothing(struct table *table, const char *text)
{
    if (text[0])
        table_text(table, text);
    else
        table_empty(table);
}

static void write_rows(const struct listing *listing, enum table_notation notation)
{
    struct table table;
    table_begin(&table, stdout, notation, "summaries", COLUMNS);
    for (size_t i = 0; i < listing->count; i++) {
        const struct brief *brief = &listing->entries[i].brief;
        table_text(&table, listing->entries[i].name);
        write_text_or_nothing(&table, brief->program);
        write_text_or_nothing(&table, brief->start);
        table_count(&table, brief->ranks);
        table_count(&table, brief->locations);
        table_value(&table, (long double)brief->longest_ns / 1e9L);
        write_share(&table, share(brief, brief->mpi_ns));
        table_count(&table, brief->iterations);
        write_share(&table, overhead_share(brief));
        table_text(&table, state_name(brief));
        table_end_row(&table);
    }
    table_end(&table);
}

static void add_share(struct text *line, double value)
{
    char percent[QUANTITY_SIZE];
    text_add_right(line, value < 0 ? "-" : format_percent(percent, value, 1), NUMBER_COLUMN);
}

static void add_count(struct text *line, uint64_t count)
{
    char number[QUANTITY_SIZE];
    snprintf(number, sizeof number, "%" PRIu64, count);
    text_add_right(line, number, NUMBER_COLUMN);
}

/* In its column and a blank more. */
static void add_name(struct text *line, const char *name, size_t columns)
{
    struct text shortened = {0};
    text_add_shortened(&shortened, name, columns);
    text_add_left(line, text_string(&shortened), columns + 1);
    text_free(&shortened);
}

/* The names are to be used, so they are there to their ends. */
static void add_file_name(struct text *line, const char *name, size_t columns)
{
    struct text escaped = {0};
    text_add_escaped(&escaped, name);
    text_add_left(line, text_string(&escaped), columns + 1);
    text_free(&escaped);
}

static size_t widest_name(const struct listing *listing)
{
    size_t widest = strlen("file");
    for (size_t i = 0; i < listing->count; i++) {
        struct text escaped = {0};
        text_add_escaped(&escaped, listing->entries[i].name);
        const size_t columns = text_columns(text_string(&escaped));
        widest = columns > widest ? columns : widest;
        text_free(&escaped);
    }
    return widest;
}

static void add_entry(struct text *line, const struct entry *entry, size_t name_columns)
{
    const struct brief *brief = &entry->brief;
    char wall[QUANTITY_SIZE];
    add_file_name(line, entry->name, name_columns);
    add_name(line, brief->program, PROGRAM_COLUMN);
    add_name(line, brief->start[0] ? brief->start : "-", START_COLUMN);
    add_count(line, brief->ranks);
    text_add_right(line, format_quantity(wall, (long double)brief->longest_ns / 1e9L, "s"),
                   TIME_COLUMN);
    add_share(line, share(brief, brief->mpi_ns));
    add_count(line, brief->iterations);
    add_share(line, overhead_share(brief));
    text_add(line, brief->state == FORMAT_COMPLETE ? "" : "  partial");
}

static void print_text(const struct listing *listing)
{
    struct text line = {0};
    const size_t columns = widest_name(listing);
    text_add_left(&line, "file", columns + 1);
    text_add_left(&line, "program", PROGRAM_COLUMN + 1);
    text_add_left(&line, "start", START_COLUMN + 1);
    text_add_right(&line, "ranks", NUMBER_COLUMN);
    text_add_right(&line, "time", TIME_COLUMN);
    text_add_right(&line, "MPI %", NUMBER_COLUMN);
    text_add_right(&line, "iter.", NUMBER_COLUMN);
    text_add_right(&line, "cost %", NUMBER_COLUMN);
    puts(text_string(&line));
    for (size_t i = 0; i < listing->count; i++) {
        text_clear(&line);
        add_entry(&line, &listing->entries[i], columns);
        puts(text_string(&line));
    }
    text_free(&line);
}

static bool read_format(const struct options *options, enum table_notation *notation)
{
    *notation = TABLE_CSV;
    if (!options->format || strcmp(options->format, "text") == 0 ||
        strcmp(options->format, "csv") == 0)
        return true;
    *notation = TABLE_JSON;
    if (strcmp(options->format, "json") == 0)
        return true;
    complain("list: --format takes text, csv or json, not \"%s\"", options->format);
    return false;
}

/* Everything that OPTIONS name; false, and ERROR, if it is not there. */
static bool fill(struct listing *listing, const struct options *options, struct error *error)
{
    char *path;
    if (!options->file || is_directory(options->file))
        return add_directory(listing, options->file ? options->file : "", error);
    path = joined("", options->file);
    add_file(listing, path, 0);
    return true;
}

static int print_listing(const struct listing *listing, const struct options *options,
                         enum table_notation notation)
{
    struct output_file output;
    struct error error;
    output_open(&output, NULL, "", &error);
    if (options->format && strcmp(options->format, "text") != 0)
        write_rows(listing, notation);
    else if (listing->count > 0)
        print_text(listing);
    if (output_close(&output, &error))
        return listing->failed ? EXIT_DATA : EXIT_DONE;
    complain("%s", error.text);
    return EXIT_DATA;
}

int cmd_list(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct error error;
    struct listing listing = {0};
    enum table_notation notation;
    enum options_result result = options_parse(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (!read_format(&options, &notation))
        return EXIT_USAGE;
    if (!fill(&listing, &options, &error)) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    if (listing.count > 0)
        qsort(listing.entries, listing.count, sizeof *listing.entries, compare_entries);
    const int status = print_listing(&listing, &options, notation);
    for (size_t i = 0; i < listing.count; i++) {
        brief_free(&listing.entries[i].brief);
        free(listing.entries[i].path);
    }
    free(listing.entries);
    return status;
}
