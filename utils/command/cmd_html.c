/* tsprof html: a summary in a page that shows it in any browser. */
#include "command/command.h"

#include "archive/archive.h"
#include "clocks/clocks.h"
#include "findings/findings.h"
#include "page/page.h"
#include "parts/parts.h"
#include "print/print.h"
#include "timeline/timeline.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Of the summary in one element; a multiple of 3. */
#define PIECE_BYTES (3 * (256 << 10))

static const char data_begins[] = "<script type=\"application/octet-stream;base64\">";
static const char data_ends[] = "</script>\n";

/* What stands out in the time of all iterations, for the page to show. */
static void write_findings(FILE *stream, const struct summary *summary,
                           const struct options *options)
{
    struct selection selection;
    struct error error;
    uint32_t metric = summary_metric(summary, "time");
    fputs("<script type=\"application/json\" id=\"findings\">", stream);
    if (metric != SUMMARY_NONE && selection_make(&selection, summary, options, &error)) {
        const struct thresholds thresholds = thresholds_default();
        const struct scope scope = {.selection = &selection,
                                    .phase = SUMMARY_NONE,
                                    .count = 1,
                                    .divisor = 1,
                                    .all_ranks = true,
                                    .all_threads = true};
        struct path_tree *tree = path_tree_build(summary);
        struct ranking *ranking = ranking_make(&scope, tree, metric, true, &thresholds);
        ranking_write_json(ranking, stream);
        ranking_free(ranking);
        path_tree_free(tree);
        selection_free(&selection);
    }
    fputs(data_ends, stream);
}

/* Copies the summary, as the file has it, in elements that are not too large to be read. */
static bool write_data(FILE *stream, FILE *summary, const char *path, struct error *error)
{
    static unsigned char piece[PIECE_BYTES];
    size_t size;
    while ((size = fread(piece, 1, sizeof piece, summary)) > 0) {
        fputs(data_begins, stream);
        base64_write(stream, piece, size);
        fputs(data_ends, stream);
    }
    return !ferror(summary) ||
           error_set(error, "%s: cannot be read: %s", path, strerror(errno));
}

/* Whether the trace, if one is to be shown, is in the page. */
static bool write_timeline(FILE *stream, const struct options *options, struct error *error)
{
    if (!options->trace)
        return true;
    struct clocks clocks;
    struct trace *trace =
        trace_open(options->second_file ? options->second_file : options->file, error);
    const bool good =
        trace && clocks_correct(trace, &clocks, error) && timeline_write(trace, stream, error);
    trace_close(trace);
    return good;
}

static bool write_page(const struct page *page, const struct subject *subject,
                       const struct options *options, struct error *error)
{
    struct output_file output;
    FILE *summary = subject_bytes(subject, options->file, error);
    if (!summary)
        return false;
    if (options->force)
        output_make_way(options->output, options->file);
    bool good = output_open(&output, options->output, options->file, error);
    if (good) {
        fwrite(page->head, 1, page->head_bytes, output.stream);
        write_findings(output.stream, subject->summary, options);
        good = write_timeline(output.stream, options, error) &&
               write_data(output.stream, summary, options->file, error);
        fwrite(page->tail, 1, page->tail_bytes, output.stream);
        good = good ? output_close(&output, error) : output_discard(&output);
    }
    fclose(summary);
    return good;
}

/* FILE, and with --trace perhaps TRACE. */
static bool take_files(struct options *options)
{
    const size_t most = options->trace ? 2 : 1;
    options->file = options->files[0];
    options->second_file = options->file_count > 1 ? options->files[1] : NULL;
    if (options->file_count <= most)
        return true;
    complain("html: only one FILE can be given, not also %s%s", options->files[most],
             options->trace ? "" : "; a TRACE comes with --trace");
    return false;
}

int cmd_html(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct page page;
    struct subject subject;
    struct error error;
    enum options_result result = options_parse_list(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (!take_files(&options))
        return EXIT_USAGE;
    if (!options.output && isatty(STDOUT_FILENO)) {
        complain("html: -o OUT is missing: a page cannot be shown on a terminal");
        return EXIT_USAGE;
    }
    if (!page_find(&page)) {
        complain("html: this tsprof was built without the page: npm was missing or could not "
                 "fetch its dependencies; see doc/page.md");
        return EXIT_DATA;
    }
    if (!subject_open(&subject, options.file, &error)) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    bool good = write_page(&page, &subject, &options, &error);
    subject_close(&subject);
    if (good)
        return EXIT_DONE;
    complain("%s", error.text);
    return EXIT_DATA;
}
