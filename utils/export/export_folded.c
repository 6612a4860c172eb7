/*
 * tsprof export --format folded: stacks as flamegraph.pl reads them, a line for each: names
 * joined by semicolons, a blank, a whole number; of differences two, before and after, as
 * difffolded.pl writes them.
 */
#include "export/export.h"
#include "export/flame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A name in a stack: without what ends names and stacks, and never empty. */
static void add_name(struct text *line, const char *name)
{
    struct text plain = {0};
    text_add(&plain, name[0] ? name : "[unnamed]");
    for (char *at = plain.bytes; *at; at++)
        if (*at == ';')
            *at = ':';
        else if (*at == ' ' || *at == '\t')
            *at = '_';
    text_add_escaped(line, text_string(&plain));
    text_free(&plain);
}

static void add_stack(struct text *line, const struct path_tree *tree, uint32_t path,
                      enum flame_share share)
{
    size_t count;
    const char **names = path_names(tree, path, &count);
    for (size_t i = 0; i < count; i++) {
        text_add(line, i ? ";" : "");
        add_name(line, names[i]);
    }
    if (share == FLAME_UNSAMPLED) {
        text_add(line, ";");
        add_name(line, UNSAMPLED_NAME);
    }
    free(names);
}

/* Adds paths that only MINUS has to VALUES, with zeros: lines are written for all of them. */
static void join(struct path_values *values, const struct path_values *minus)
{
    for (size_t i = 0; i < minus->count; i++)
        path_values_touch(values, minus->list[i]);
    path_values_sort(values);
}

static bool has_negative(const struct flame *flame, const struct flame_values *values)
{
    for (size_t i = 0; i < values->paths->count; i++)
        for (enum flame_share share = 0; share < FLAME_SHARES; share++)
            if (roundl(flame_value(flame, values, values->paths->list[i], share,
                                   flame->metrics[0])) < 0)
                return true;
    return false;
}

/* VALUE and BEFORE are whole numbers; the second is written if there are to be TWO. */
static void write_line(FILE *stream, const char *stack, long double value, long double before,
                       bool two)
{
    /* Flame graphs cannot show negative values: they are added to the other side. */
    const long double after = (value > 0 ? value : 0) + (before < 0 ? -before : 0);
    before = (before > 0 ? before : 0) + (value < 0 ? -value : 0);
    if (after == 0 && before == 0)
        return;
    if (two)
        fprintf(stream, "%s %.0Lf %.0Lf\n", stack, before, after);
    else
        fprintf(stream, "%s %.0Lf\n", stack, after);
}

/* MINUS may be NULL; then lines have a second number only if a value is negative, as in a
 * difference. */
static void write_stacks(FILE *stream, const struct flame *flame,
                         const struct flame_values *values, const struct flame_values *minus)
{
    const uint32_t metric = flame->metrics[0];
    const bool two = minus || has_negative(flame, values);
    struct text stack = {0};
    for (size_t i = 0; i < values->paths->count; i++)
        for (enum flame_share share = 0; share < FLAME_SHARES; share++) {
            const uint32_t path = values->paths->list[i];
            const long double value = flame_value(flame, values, path, share, metric);
            const long double before =
                minus ? flame_value(flame, minus, path, share, metric) : 0;
            if (value == 0 && before == 0)
                continue;
            text_clear(&stack);
            add_stack(&stack, flame->tree, path, share);
            write_line(stream, text_string(&stack), roundl(value), roundl(before), two);
        }
    text_free(&stack);
}

static void write_folded(const struct export *export, const struct flame *flame, FILE *stream)
{
    struct flame_values *values = flame_values_create(flame), *minus = NULL;
    (void)export;
    flame_fill(flame, FLAME_THIS, values);
    if (flame->has_minus) {
        minus = flame_values_create(flame);
        flame_fill(flame, FLAME_MINUS, minus);
        join(values->paths, minus->paths);
    }
    write_stacks(stream, flame, values, minus);
    flame_values_free(values);
    flame_values_free(minus);
}

int export_folded(const struct export *export)
{
    return flame_export(export, 1, write_folded);
}
