/* Operands of the algebra.  See operands.h. */
#include "algebra/operands.h"

#include "base/base.h"
#include "openmp/openmp.h"
#include "print/print.h"

#include <stdlib.h>

static int fail(int status, const struct error *error)
{
    complain("%s", error->text);
    return status;
}

static int read_files(struct operands *operands, const struct options *options, bool openmp)
{
    struct error error;
    operands->files = allocate(options->file_count, sizeof *operands->files);
    for (size_t i = 0; i < options->file_count; i++) {
        operands->files[i] = summary_read(options->files[i], &error);
        if (!operands->files[i])
            return fail(EXIT_DATA, &error);
        if (openmp)
            openmp_add_metrics(operands->files[i]);
        operands->file_count++;
    }
    return EXIT_DONE;
}

static int add_operand(struct operands *operands, const struct summary *summary,
                       const struct options *options)
{
    struct operand *operand = &operands->list[operands->count];
    struct error error;
    operand->summary = summary;
    if (!selection_make(&operand->selection, summary, options, &error))
        return fail(EXIT_USAGE, &error);
    operands->count++;
    return scope_make(&operand->scope, &operand->selection, options, &error)
               ? EXIT_DONE
               : fail(EXIT_USAGE, &error);
}

static int add_minus(struct operands *operands, const struct options *options)
{
    struct options others = *options;
    if (options->minus_iterations_given)
        others.iterations = options->minus_iterations;
    if (options->minus_ranks_given)
        others.ranks = options->minus_ranks;
    return add_operand(operands, operands->files[operands->file_count - 1], &others);
}

static int add_operands(struct operands *operands, const struct options *options, bool minus)
{
    int status = EXIT_DONE;
    operands->list = allocate(operands->file_count + 1, sizeof *operands->list);
    for (size_t i = 0; i < (minus ? 1 : operands->file_count) && status == EXIT_DONE; i++)
        status = add_operand(operands, operands->files[i], options);
    return minus && status == EXIT_DONE ? add_minus(operands, options) : status;
}

static void combine_files(struct operands *operands)
{
    operands->combined =
        combine((const struct summary *const *)operands->files, operands->file_count);
    for (size_t i = 0; i < operands->count; i++)
        for (size_t f = 0; f < operands->file_count; f++)
            if (operands->list[i].summary == operands->files[f])
                operands->list[i].translation = &operands->combined->translations[f];
}

static bool ranks_fit(const struct operands *operands)
{
    const struct selection *first = &operands->list[0].selection;
    for (size_t i = 1; i < operands->count; i++) {
        const struct selection *other = &operands->list[i].selection;
        if (other->rank_count != first->rank_count)
            return false;
        for (size_t r = 0; r < first->rank_count; r++)
            if (other->ranks[r].rank != first->ranks[r].rank)
                return false;
    }
    return true;
}

/* The threads of rank number RANK of all selections, ascending, those of each operand in their
 * places. */
static void add_places(struct operands *operands, size_t rank)
{
    size_t *next = allocate(operands->count, sizeof *next);
    for (;;) {
        struct operand_place place = {.thread = SUMMARY_NONE};
        for (size_t i = 0; i < operands->count; i++) {
            const struct rank_group *group = &operands->list[i].selection.ranks[rank];
            place.rank = group->rank;
            if (next[i] < group->count) {
                uint32_t thread =
                    operands->list[i].summary->locations[group->first + next[i]].thread;
                place.thread = thread < place.thread ? thread : place.thread;
            }
        }
        if (place.thread == SUMMARY_NONE)
            break;
        place.in = operands->in + operands->place_count * operands->count;
        for (size_t i = 0; i < operands->count; i++) {
            const struct rank_group *group = &operands->list[i].selection.ranks[rank];
            const struct location *location =
                &operands->list[i].summary->locations[group->first + next[i]];
            if (next[i] == group->count || location->thread != place.thread)
                continue;
            place.in[i] = location;
            next[i]++;
        }
        operands->places[operands->place_count++] = place;
    }
    free(next);
}

static void find_places(struct operands *operands)
{
    size_t most = 1;
    for (size_t i = 0; i < operands->count; i++)
        most += selection_locations(&operands->list[i].selection);
    operands->ranks_fit = ranks_fit(operands);
    operands->places = allocate(most, sizeof *operands->places);
    operands->in = allocate(most * operands->count, sizeof *operands->in);
    if (operands->ranks_fit) {
        for (size_t r = 0; r < operands->list[0].selection.rank_count; r++)
            add_places(operands, r);
    } else {
        operands->places[operands->place_count++] = (struct operand_place){.in = operands->in};
    }
}

int operands_read(struct operands *operands, const struct options *options, bool minus,
                  bool openmp)
{
    *operands = (struct operands){0};
    int status = read_files(operands, options, openmp);
    if (status == EXIT_DONE)
        status = add_operands(operands, options, minus);
    if (status != EXIT_DONE)
        return status;
    combine_files(operands);
    find_places(operands);
    return EXIT_DONE;
}

void operands_free(struct operands *operands)
{
    for (size_t i = 0; i < operands->count; i++)
        selection_free(&operands->list[i].selection);
    combined_free(operands->combined);
    for (size_t i = 0; i < operands->file_count; i++)
        summary_free(operands->files[i]);
    free(operands->files);
    free(operands->list);
    free(operands->places);
    free(operands->in);
    *operands = (struct operands){0};
}

void operand_fill(const struct operands *operands, size_t operand,
                  const struct operand_place *place, const struct path_map *map,
                  enum metric_sums sums, struct path_values *values)
{
    const struct scope *scope = &operands->list[operand].scope;
    path_values_clear(values);
    if (!operands->ranks_fit)
        scope_add_all(scope, map, sums, values);
    else if (place->in[operand])
        scope_add(scope, place->in[operand], map, sums, values);
}

void operand_add_text(const struct operand *operand, struct text *text)
{
    text_addf(text, "%s: ", operand->summary->path);
    scope_add_text(&operand->scope, text);
}
