/* tsprof merge: the summary of a job that left parts. */
#include "command/command.h"

#include "archive/archive.h"
#include "events/events.h"
#include "parts/parts.h"
#include "print/print.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 4200 };

static bool is_part(const char *path, const struct part_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        if (output_is(path, files->list[i].path))
            return true;
    return false;
}

/* Creates the file that is asked for, or the one that the run would have left. */
static int create(const struct part_files *files, const struct options *options, char *name,
                  struct error *error)
{
    const char *wanted = options->output;
    if (wanted && options->force && !is_part(wanted, files))
        output_make_way(wanted, NULL);
    if (wanted)
        snprintf(name, NAME_BYTES, "%s", wanted);
    else
        part_files_output(files, name, NAME_BYTES);
    int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0 && errno == EEXIST)
        error_set(error, "%s: already exists; not overwritten without --force", name);
    else if (file < 0)
        error_set(error, "%s: cannot be created: %s%s", name, strerror(errno),
                  wanted ? "" : "; choose another name with -o OUT");
    return file;
}

/* What is in the summary and what is not. */
static void tell(const struct merged *merged, const char *name)
{
    complain("%zu of %zu rank%s %s in %s", merged->ranks - merged->missing, merged->ranks,
             merged->ranks == 1 ? "" : "s", merged->ranks - merged->missing == 1 ? "is" : "are",
             name);
    if (merged->missing > 0)
        complain("no data for rank%s %s; if their hosts have parts elsewhere, name those "
                 "directories, too",
                 merged->missing == 1 ? "" : "s", text_string(&merged->missing_ranks));
}

/* Says what has become of the events of chosen iterations, if there are any. */
static void tell_events(const struct merged *merged, const char *archive)
{
    const struct job_trace_written *events = &merged->events;
    if (!merged->has_events)
        return;
    if (!merged->has_archive)
        complain("no trace is written: %s", merged->no_archive.text);
    else if (events->all)
        complain("the events of %" PRIu64 " MPI calls are in %s", events->calls, archive);
    else
        complain("the events of %zu iteration%s, %" PRIu64 " MPI calls, are in %s",
                 events->iterations, events->iterations == 1 ? "" : "s", events->calls,
                 archive);
}

/* False only if parts should have been removed and could not be. */
static bool remove_parts(const struct part_files *files, const struct merged *merged,
                         const struct options *options)
{
    struct error error;
    if (live_any_runs(&merged->live)) {
        complain("the job is still running%s",
                 options->remove ? "; its parts stay" : ": this is what it has done so far");
        return true;
    }
    if (options->remove && live_any_may_run(&merged->live)) {
        complain("a minute ago the job was still running, on another host: its parts stay");
        return true;
    }
    if (!options->remove) {
        complain("the parts are still there; --remove removes them after merging");
        return true;
    }
    if (merged->has_events && !merged->has_archive) {
        complain("the parts stay, since their events are nowhere else");
        return true;
    }
    if (merged->skipped > 0) {
        complain("some parts were left out, so none was removed");
        return true;
    }
    if (part_files_remove(files, &error))
        return true;
    complain("%s", error.text);
    return false;
}

static bool merge(const struct part_files *files, const struct options *options)
{
    char name[NAME_BYTES];
    struct merged merged = {0};
    struct error error;
    int file = create(files, options, name, &error);
    char *archive = trace_place(name);
    bool good = file >= 0 && merge_parts(files, file, name, archive,
                                         options->output && options->force, &merged, &error);
    if (file >= 0 && close(file) != 0 && good)
        good = error_set(&error, "%s: cannot be written: %s", name, strerror(errno));
    if (good) {
        tell(&merged, name);
        tell_events(&merged, archive);
        good = remove_parts(files, &merged, options);
    } else {
        complain("%s", error.text);
        if (file >= 0)
            unlink(name);
    }
    merged_free(&merged);
    free(archive);
    return good;
}

int cmd_merge(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct part_files files;
    struct error error;
    enum options_result result = options_parse_list(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (!part_files_find(&files, options.files, options.file_count, &error)) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    bool good = merge(&files, &options);
    part_files_free(&files);
    return good ? EXIT_DONE : EXIT_DATA;
}
