/* See predict.h. */
#include "predict/predict.h"

#include "predict/answer.h"
#include "predict/apply.h"
#include "predict/parameters.h"
#include "predict/summary_bounds.h"
#include "predict/trace_bounds.h"
#include "predict/write_trace.h"

#include <string.h>

static void print(const struct prediction *prediction, const struct answer *answer,
                  FILE *stream)
{
    if (prediction->is_json)
        answer_print_json(answer, stream);
    else
        answer_print(answer, stream);
}

/* Where the ranks are decides which network they have used. */
static const char *section_of(const struct trace *trace)
{
    for (size_t i = 1; i < trace->process_count; i++)
        if (trace->processes[i].host && trace->processes[0].host &&
            strcmp(trace->processes[i].host, trace->processes[0].host) != 0)
            return "hosts";
    return "cores";
}

static bool take_network(const struct prediction *prediction, struct study *study,
                         struct error *error)
{
    struct whatif_network network;
    if (!prediction->network_file)
        return true;
    if (!parameters_read_file(prediction->network_file, section_of(study->trace), &network,
                              error))
        return false;
    if (!whatif_set_network(study->whatif, &network))
        out_of_memory();
    return true;
}

static void predict_run(struct study *study, const struct whatif_changes *changes,
                        struct whatif_outcome *outcome)
{
    if (!whatif_predict(study->whatif, changes, study->outer, study->instance_count, outcome))
        out_of_memory();
}

static bool is_stuck(struct study *study, const struct whatif_outcome *outcome,
                     struct error *error)
{
    if (!outcome->is_stuck)
        return false;
    const struct whatif_call call = whatif_call(study->whatif, outcome->stuck_call);
    struct text path = {0};
    study_add_short_path(study, study->result.paths[call.path].node, &path);
    error_set(error,
              "the program would never end: with sends that wait for their receives rank %u "
              "waits for ever in %s, its call %ju there",
              study_rank(study, call.thread), text_string(&path),
              (uintmax_t)whatif_ordinal(study->whatif, outcome->stuck_call));
    text_free(&path);
    return true;
}

static bool apply_all(struct answer *answer, struct whatif_changes *changes,
                      struct error *error)
{
    for (size_t i = 0; i < answer->questions->count; i++) {
        const struct question *question = &answer->questions->list[i];
        if (!apply_question(answer->study, question, changes, error))
            return false;
        answer->has_change |= question->kind != ASK_BOUND && question->kind != ASK_BEST;
    }
    return true;
}

static enum exit_status answer_changes(const struct prediction *prediction,
                                       struct answer *answer, struct whatif_changes *changes,
                                       struct error *error)
{
    struct study *study = answer->study;
    const struct question *bound = questions_find(answer->questions, ASK_BOUND);
    if (!apply_all(answer, changes, error))
        return EXIT_USAGE;
    if (!whatif_measured(study->whatif, study->outer, study->instance_count, &answer->measured))
        out_of_memory();
    predict_run(study, NULL, &answer->unchanged);
    answer->has_bounds = bound != NULL;
    if (bound && !trace_bounds(study, bound, &answer->bounds, error))
        return EXIT_USAGE;
    if (questions_find(answer->questions, ASK_BEST)) {
        answer->has_best = best_find(study, changes, &answer->best);
        if (!answer->has_best && !answer->has_change)
            out_of_memory();
    }
    predict_run(study, changes, &answer->changed);
    if (is_stuck(study, &answer->changed, error))
        return EXIT_USAGE;
    if (!prediction->trace ||
        write_trace(study, changes, prediction->trace, prediction->replaces, error))
        return EXIT_DONE;
    return EXIT_DATA;
}

static enum exit_status answer_trace(const struct prediction *prediction, struct answer *answer,
                                     FILE *stream, struct error *error)
{
    struct study study;
    if (!study_open(&study, prediction->path, error))
        return EXIT_DATA;
    answer->study = &study;
    enum exit_status status = EXIT_DATA;
    if (take_network(prediction, &study, error)) {
        struct whatif_changes *changes = whatif_changes(study.whatif);
        if (!changes)
            out_of_memory();
        status = answer_changes(prediction, answer, changes, error);
        if (status == EXIT_DONE)
            print(prediction, answer, stream);
        if (status == EXIT_DONE && study.is_cut) {
            *error = study.reason;
            status = EXIT_DATA;
        }
        whatif_changes_free(changes);
    }
    whatif_outcome_free(&answer->measured);
    whatif_outcome_free(&answer->unchanged);
    whatif_outcome_free(&answer->changed);
    study_free(&study);
    return status;
}

static enum exit_status answer_summary(const struct prediction *prediction,
                                       struct answer *answer, FILE *stream, struct error *error)
{
    const struct question *bound = questions_find(answer->questions, ASK_BOUND);
    const enum exit_status status =
        summary_bounds(prediction->path, bound, &answer->bounds, error);
    answer->has_bounds = true;
    if (status == EXIT_DONE)
        print(prediction, answer, stream);
    return status;
}

static bool is_consistent(const struct prediction *prediction,
                          const struct questions *questions, struct error *error)
{
    if (prediction->trace &&
        (questions_find(questions, ASK_BOUND) || questions_find(questions, ASK_BEST)))
        return error_set(error, "-o: bound and best predict no single run that could be "
                                "written; ask for the change that you want");
    return true;
}

enum exit_status predict(const struct prediction *prediction, FILE *stream, struct error *error)
{
    struct questions questions;
    enum exit_status status = EXIT_USAGE;
    struct answer answer = {.questions = &questions, .top = prediction->top};
    if (questions_read(prediction->words, prediction->word_count, &questions, error) &&
        is_consistent(prediction, &questions, error))
        status = questions_find(&questions, ASK_BOUND) && summary_is_alone(prediction->path)
                     ? answer_summary(prediction, &answer, stream, error)
                     : answer_trace(prediction, &answer, stream, error);
    if (answer.has_best)
        best_free(&answer.best);
    bounds_free(&answer.bounds);
    questions_free(&questions);
    return status;
}
