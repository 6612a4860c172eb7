/* An answer for scripts: times in seconds.  See answer.h. */
#include "predict/answer.h"

static void name(FILE *stream, const char *key)
{
    json_string(stream, key);
    fputc(':', stream);
}

static void seconds(FILE *stream, const char *key, uint64_t ns)
{
    name(stream, key);
    json_number(stream, (long double)ns * 1e-9L);
}

static void string_of(FILE *stream, struct text *text)
{
    json_string(stream, text_string(text));
    text_free(text);
}

static void question_of(FILE *stream, const struct question *question)
{
    struct text text = {0};
    question_add_text(question, &text);
    string_of(stream, &text);
}

static void print_questions(const struct answer *answer, FILE *stream)
{
    name(stream, "questions");
    for (size_t i = 0; i < answer->questions->count; i++) {
        fputc(i > 0 ? ',' : '[', stream);
        question_of(stream, &answer->questions->list[i]);
    }
    fputc(']', stream);
}

static void print_length(FILE *stream, const char *key, uint64_t bytes)
{
    name(stream, key);
    if (bytes == WHATIF_NO_SIZE)
        fputs("null", stream);
    else
        json_number(stream, (long double)bytes);
}

static void print_network(const struct answer *answer, FILE *stream)
{
    const struct whatif_network network = whatif_network(answer->study->whatif);
    const struct {
        const char *name;
        double ns;
    } times[] = {{"L", network.latency_ns},
                 {"o", network.overhead_ns},
                 {"g", network.gap_ns},
                 {"G", network.byte_ns}};
    fputc(',', stream);
    name(stream, "network");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        fputc(i > 0 ? ',' : '{', stream);
        name(stream, times[i].name);
        json_number(stream, (long double)times[i].ns * 1e-9L);
    }
    fputc(',', stream);
    print_length(stream, "S", network.synchronous_bytes);
    fputc(',', stream);
    print_length(stream, "s", network.packet_bytes);
    fputc('}', stream);
}

static void print_times(FILE *stream, uint64_t measured, uint64_t unchanged, uint64_t changed)
{
    seconds(stream, "measured", measured);
    fputc(',', stream);
    seconds(stream, "unchanged", unchanged);
    fputc(',', stream);
    seconds(stream, "changed", changed);
    fputc(',', stream);
    name(stream, "gain");
    json_number(stream, ((long double)unchanged - (long double)changed) * 1e-9L);
}

static void print_iterations(const struct answer *answer, FILE *stream)
{
    const struct study *study = answer->study;
    fputc(',', stream);
    name(stream, "iterations");
    fputc('[', stream);
    for (uint32_t i = 0; i < study->instance_count; i++) {
        const struct instance *of = &study->feed->instances.list[i];
        fputs(i > 0 ? ",{" : "{", stream);
        name(stream, "phase");
        json_string(stream, study_region(study, of->phase));
        fputc(',', stream);
        name(stream, "iteration");
        json_number(stream, (long double)of->number);
        fputc(',', stream);
        print_times(stream, answer->measured.iterations[i], answer->unchanged.iterations[i],
                    answer->changed.iterations[i]);
        fputc('}', stream);
    }
    fputc(']', stream);
}

static void print_choices(FILE *stream, const char *key, const struct choice *choices,
                          size_t count)
{
    name(stream, key);
    fputc('[', stream);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ",{" : "{", stream);
        name(stream, "question");
        question_of(stream, &choices[i].question);
        fputc(',', stream);
        seconds(stream, "time", choices[i].ns);
        fputc('}', stream);
    }
    fputc(']', stream);
}

static void print_domino(const struct answer *answer, FILE *stream)
{
    const struct study *study = answer->study;
    const struct best *best = &answer->best;
    name(stream, "domino");
    fputc('[', stream);
    for (size_t i = 0; i < best->domino_length; i++) {
        const struct whatif_call call = whatif_call(study->whatif, best->domino[i].call),
                                 cause = whatif_call(study->whatif, best->domino[i].cause);
        struct text path = {0};
        fputs(i > 0 ? ",{" : "{", stream);
        name(stream, "callpath");
        study_add_path(study, study->result.paths[call.path].node, &path);
        string_of(stream, &path);
        fputc(',', stream);
        name(stream, "rank");
        json_number(stream, study_rank(study, call.thread));
        fputc(',', stream);
        name(stream, "call");
        json_number(stream, (long double)whatif_ordinal(study->whatif, best->domino[i].call));
        fputc(',', stream);
        name(stream, "cause_rank");
        json_number(stream, study_rank(study, cause.thread));
        fputc(',', stream);
        seconds(stream, "wait", best->domino[i].wait_ns);
        fputc('}', stream);
    }
    fputc(']', stream);
}

static void print_best(const struct answer *answer, FILE *stream)
{
    const struct best *best = &answer->best;
    fputc(',', stream);
    name(stream, "best");
    fputc('{', stream);
    seconds(stream, "time", best->base_ns);
    fputc(',', stream);
    print_choices(stream, "single", best->choices, best->choice_count);
    fputc(',', stream);
    print_choices(stream, "sequence", best->sequence, best->sequence_length);
    fputc(',', stream);
    print_domino(answer, stream);
    fputc('}', stream);
}

static void print_bounds(const struct answer *answer, FILE *stream)
{
    const struct bounds *bounds = &answer->bounds;
    fputc(',', stream);
    name(stream, "bounds");
    fputc('[', stream);
    for (size_t i = 0; i < bounds->count; i++)
        for (unsigned j = 0; j < BOUND_CASES; j++) {
            fputs(i + j > 0 ? ",{" : "{", stream);
            name(stream, "where");
            json_string(stream, bounds->rows[i].name);
            fprintf(stream, ",\"no_wait\":%s,\"balance\":%s,\"balance_bytes\":%s,",
                    j & BOUND_NO_WAIT ? "true" : "false", j & BOUND_BALANCE ? "true" : "false",
                    j & BOUND_BALANCE_BYTES ? "true" : "false");
            seconds(stream, "time", bounds->rows[i].ns[j]);
            fputc('}', stream);
        }
    fputc(']', stream);
}

struct notes {
    FILE *stream;
    bool any;
};

static void print_note(void *context, const char *note)
{
    struct notes *notes = context;
    if (notes->any)
        fputc(',', notes->stream);
    notes->any = true;
    json_string(notes->stream, note);
}

void answer_print_json(const struct answer *answer, FILE *stream)
{
    struct notes notes = {stream, false};
    fputc('{', stream);
    print_questions(answer, stream);
    if (answer->study) {
        print_network(answer, stream);
        fputc(',', stream);
        print_times(stream, answer->measured.ns, answer->unchanged.ns, answer->changed.ns);
        print_iterations(answer, stream);
    }
    if (answer->has_best)
        print_best(answer, stream);
    if (answer->has_bounds)
        print_bounds(answer, stream);
    fputc(',', stream);
    name(stream, "notes");
    fputc('[', stream);
    answer_note(answer, print_note, &notes);
    fputs("]}\n", stream);
}
