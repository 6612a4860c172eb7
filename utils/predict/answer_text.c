/* An answer for people.  See answer.h. */
#include "predict/answer.h"
#include "predict/parameters.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 44, NUMBER_COLUMNS = 11 };

static void print_time(struct text *text, uint64_t ns)
{
    char number[QUANTITY_SIZE];
    text_add_right(text, format_quantity(number, (long double)ns * 1e-9L, "s"), NUMBER_COLUMNS);
}

/* "  GAIN  PER CENT": of BEFORE, if it becomes AFTER. */
static void print_gain(struct text *text, uint64_t before, uint64_t after)
{
    char number[QUANTITY_SIZE];
    const long double gain = ((long double)before - (long double)after) * 1e-9L;
    text_add_right(text, format_quantity(number, gain, "s"), NUMBER_COLUMNS);
    text_add_right(text, format_percent(number, gain, (long double)before * 1e-9L), 8);
    text_add(text, " %");
}

static void flush(struct text *text, FILE *stream)
{
    fprintf(stream, "%s\n", text_string(text));
    text_clear(text);
}

static void print_questions(const struct answer *answer, struct text *text, FILE *stream)
{
    text_add(text, "What if: ");
    for (size_t i = 0; i < answer->questions->count; i++) {
        text_add(text, i > 0 ? ", " : "");
        question_add_text(&answer->questions->list[i], text);
    }
    flush(text, stream);
}

static void print_whole(const struct answer *answer, struct text *text, FILE *stream)
{
    static const char *const names[] = {"measured", "predicted, unchanged",
                                        "predicted, changed"};
    const uint64_t ns[] = {answer->measured.ns, answer->unchanged.ns, answer->changed.ns};
    for (size_t i = 0; i < 2u + answer->has_change; i++) {
        text_add_left(text, names[i], NAME_COLUMNS / 2);
        print_time(text, ns[i]);
        flush(text, stream);
    }
    if (!answer->has_change)
        return;
    text_add_left(text, "gain", NAME_COLUMNS / 2);
    print_gain(text, answer->unchanged.ns, answer->changed.ns);
    flush(text, stream);
}

/* An iteration, and what it gains. */
struct gained {
    uint32_t instance;
    int64_t ns;
};

static int compare_gained(const void *a, const void *b)
{
    const struct gained *one = a, *other = b;
    if (one->ns != other->ns)
        return one->ns > other->ns ? -1 : 1;
    return one->instance < other->instance ? -1 : one->instance > other->instance;
}

static void print_iteration(const struct answer *answer, uint32_t instance, struct text *text,
                            FILE *stream)
{
    struct text name = {0}, escaped = {0};
    study_add_iteration(answer->study, instance, &name);
    text_add_shortened(&escaped, text_string(&name), 24);
    text_add(text, "  ");
    text_add_left(text, text_string(&escaped), 24);
    print_time(text, answer->measured.iterations[instance]);
    print_time(text, answer->unchanged.iterations[instance]);
    print_time(text, answer->changed.iterations[instance]);
    print_gain(text, answer->unchanged.iterations[instance],
               answer->changed.iterations[instance]);
    flush(text, stream);
    text_free(&name);
    text_free(&escaped);
}

static void print_iterations(const struct answer *answer, struct text *text, FILE *stream)
{
    const size_t count = answer->study->instance_count;
    if (count == 0 || !answer->has_change)
        return;
    struct gained *gained = allocate(count, sizeof *gained);
    for (uint32_t i = 0; i < count; i++)
        gained[i] = (struct gained){i, (int64_t)answer->unchanged.iterations[i] -
                                           (int64_t)answer->changed.iterations[i]};
    qsort(gained, count, sizeof *gained, compare_gained);
    const size_t shown = count < answer->top ? count : (size_t)answer->top;
    fprintf(stream, "\nIterations (%zu of %zu, by gain; longest rank)\n", shown, count);
    fprintf(stream, "  %-24s%11s%11s%11s%11s\n", "", "measured", "unchanged", "changed",
            "gain");
    for (size_t i = 0; i < shown; i++)
        print_iteration(answer, gained[i].instance, text, stream);
    free(gained);
}

static void print_choice(const struct choice *choice, uint64_t before_ns, size_t number,
                         struct text *text, FILE *stream)
{
    struct text question = {0};
    text_addf(text, "%3zu ", number);
    print_time(text, choice->ns);
    print_gain(text, before_ns, choice->ns);
    text_add(text, "  ");
    question_add_text(&choice->question, &question);
    text_add(text, text_string(&question));
    flush(text, stream);
    text_free(&question);
}

static void print_domino(const struct answer *answer, struct text *text, FILE *stream)
{
    const struct best *best = &answer->best;
    if (best->domino_length == 0)
        return;
    fprintf(stream, "\nDomino path: without the first of these waits the others go, too\n");
    for (size_t i = best->domino_length; i-- > 0;) {
        const struct study *study = answer->study;
        const struct whatif_call call = whatif_call(study->whatif, best->domino[i].call),
                                 cause = whatif_call(study->whatif, best->domino[i].cause);
        struct text path = {0};
        print_time(text, best->domino[i].wait_ns);
        text_addf(text, "  rank %u waits for rank %u in ", study_rank(study, call.thread),
                  study_rank(study, cause.thread));
        study_add_short_path(study, study->result.paths[call.path].node, &path);
        text_add_escaped(text, text_string(&path));
        text_addf(text, "#%ju", (uintmax_t)whatif_ordinal(study->whatif, best->domino[i].call));
        flush(text, stream);
        text_free(&path);
    }
}

static void print_best(const struct answer *answer, struct text *text, FILE *stream)
{
    const struct best *best = &answer->best;
    if (best->choice_count == 0) {
        fprintf(stream, "\nNo single change of waits or balance gains anything.\n");
        return;
    }
    fprintf(stream, "\nSingle changes\n%15s%11s\n", "time", "gain");
    for (size_t i = 0; i < best->choice_count && i < answer->top; i++)
        print_choice(&best->choices[i], best->base_ns, i + 1, text, stream);
    fprintf(stream, "\nOne after the other\n%15s%11s\n", "time", "gain");
    uint64_t before_ns = best->base_ns;
    for (size_t i = 0; i < best->sequence_length; i++) {
        print_choice(&best->sequence[i], before_ns, i + 1, text, stream);
        before_ns = best->sequence[i].ns;
    }
    print_domino(answer, text, stream);
}

static void print_bounds(const struct answer *answer, struct text *text, FILE *stream)
{
    const struct bounds *bounds = &answer->bounds;
    fprintf(stream, "\nNo program that does the same can take less than, with\n");
    for (unsigned i = 0; i < BOUND_CASES; i++) {
        struct text name = {0};
        if (!bounds->has_bytes && i & BOUND_BALANCE_BYTES)
            continue;
        bounds_add_case(i, &name);
        text_add(text, "  ");
        text_add_left(text, text_string(&name), NAME_COLUMNS);
        print_time(text, bounds->rows[0].ns[i]);
        flush(text, stream);
        text_free(&name);
    }
    const size_t rows = bounds->count - 1;
    const size_t shown = rows < answer->top ? rows : (size_t)answer->top;
    if (rows == 0)
        return;
    fprintf(stream, "\nIterations (%zu of %zu)\n  %-24s%11s%11s%11s%11s\n", shown, rows, "",
            "as it was", "no waiting", "balanced", "both");
    for (size_t i = 1; i <= shown; i++) {
        text_add(text, "  ");
        text_add_left(text, bounds->rows[i].name, 24);
        for (unsigned j = 0; j < BOUND_BALANCE_BYTES; j++)
            print_time(text, bounds->rows[i].ns[j]);
        flush(text, stream);
    }
}

static void print_note(void *context, const char *note)
{
    struct text text = {0};
    text_add(&text, "Note: ");
    text_add_wrapped(&text, note, 6, 6, 80);
    fputs(text_string(&text), context);
    text_free(&text);
}

static void print_network(const struct answer *answer, struct text *text, FILE *stream)
{
    const struct whatif_network network = whatif_network(answer->study->whatif);
    text_add(text, "network: ");
    parameters_add_text(&network, text);
    flush(text, stream);
}

void answer_print(const struct answer *answer, FILE *stream)
{
    struct text text = {0};
    print_questions(answer, &text, stream);
    if (answer->study) {
        print_network(answer, &text, stream);
        if (!answer->has_bounds)
            print_whole(answer, &text, stream);
        if (!answer->has_bounds)
            print_iterations(answer, &text, stream);
    }
    if (answer->has_best)
        print_best(answer, &text, stream);
    if (answer->has_bounds)
        print_bounds(answer, &text, stream);
    answer_note(answer, print_note, stream);
    text_free(&text);
}
