/* tsprof compress: clusters the iterations of a summary that kept them all. */
#include "command/command.h"

#include "algebra/algebra.h"
#include "common/settings.h"
#include "file/file.h"
#include "print/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The word of WHICH: as asked for, or as the run had it, or the default. */
static const char *choose_word(const struct summary *summary, enum setting which,
                               const char *asked)
{
    char key[64];
    int64_t number;
    if (asked)
        return asked;
    snprintf(key, sizeof key, "setting.%s", setting_table[which].name);
    const char *measured = summary_fact(summary, key);
    return measured && setting_read(which, measured, &number) ? measured
                                                              : setting_table[which].standard;
}

/* Replaces the value of a fact, or adds it. */
static void set_fact(struct summary *summary, const char *key, const char *value)
{
    struct memory_pool *pool = &summary->pool;
    value = memory_pool_copy(pool, value, strlen(value));
    for (size_t i = 0; i < summary->fact_count; i++)
        if (strcmp(summary->facts[i].key, key) == 0) {
            summary->facts[i].value = value;
            return;
        }
    struct fact *facts = memory_pool_allocate(pool, summary->fact_count + 1, sizeof *facts);
    if (summary->fact_count > 0)
        memcpy(facts, summary->facts, summary->fact_count * sizeof *facts);
    facts[summary->fact_count++] =
        (struct fact){memory_pool_copy(pool, key, strlen(key)), value};
    summary->facts = facts;
}

static void set_setting(struct summary *summary, enum setting which, const char *value)
{
    char key[64];
    snprintf(key, sizeof key, "setting.%s", setting_table[which].name);
    set_fact(summary, key, value);
    snprintf(key, sizeof key, "setting.%s.source", setting_table[which].name);
    set_fact(summary, key, "compress");
}

static void compress(struct summary *summary, const struct options *options)
{
    int64_t method = 0, equivalence = 0;
    const char *method_word = choose_word(summary, SETTING_CLUSTERING, options->clustering);
    const char *equivalence_word =
        choose_word(summary, SETTING_EQUIVALENCE, options->equivalence);
    setting_read(SETTING_CLUSTERING, method_word, &method);
    setting_read(SETTING_EQUIVALENCE, equivalence_word, &equivalence);
    const struct recluster_settings settings = {
        .clusters = options->clusters > 0 ? (uint32_t)options->clusters : CLUSTERS_AUTO,
        .error_bound = setting_error_bound(options->clusters),
        .method = (enum clustering_method)method,
        .equivalence = (enum equivalence)equivalence,
    };
    if (!recluster(summary, &settings))
        complain("compress: there is no room for as many clusters as an error of %s takes: the "
                 "error is larger",
                 options->clusters_text);
    set_setting(summary, SETTING_CLUSTERS, options->clusters_text);
    set_setting(summary, SETTING_CLUSTERING, method_word);
    set_setting(summary, SETTING_EQUIVALENCE, equivalence_word);
}

/* False, with a message, if something is missing or a word is not one of those allowed. */
static bool check_options(const struct options *options)
{
    const struct {
        enum setting which;
        const char *option, *word;
    } words[] = {{SETTING_CLUSTERING, "clustering", options->clustering},
                 {SETTING_EQUIVALENCE, "equivalence", options->equivalence}};
    if (options->clusters == 0 || !options->output) {
        complain("compress: %s is missing; see tsprof compress --help",
                 options->clusters == 0 ? "--clusters N" : "-o OUT");
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char allowed[128];
        int64_t number;
        if (!words[i].word || setting_read(words[i].which, words[i].word, &number))
            continue;
        setting_describe(words[i].which, allowed, sizeof allowed);
        complain("compress: invalid value for --%s: %s; it takes %s", words[i].option,
                 words[i].word, allowed);
        return false;
    }
    return true;
}

int cmd_compress(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct error error;
    enum options_result result = options_parse(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (!check_options(&options))
        return EXIT_USAGE;
    struct summary *summary = summary_read(options.file, &error);
    bool good = summary && recluster_possible(summary, &error);
    if (good) {
        compress(summary, &options);
        if (options.force)
            output_make_way(options.output, options.file);
        good = summary_write(summary, options.output, &error);
    }
    if (!good)
        complain("%s", error.text);
    summary_free(summary);
    return good ? EXIT_DONE : EXIT_DATA;
}
