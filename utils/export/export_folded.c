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

static void add_stack(struct text *line, const struct path_tree *tree, uint32_t path)
{
    size_t count;
    const char **names = path_names(tree, path, &count);
    for (size_t i = 0; i < count; i++) {
        text_add(line, i ? ";" : "");
        add_name(line, names[i]);
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

static bool has_negative(const struct flame *flame, const struct path_values *values)
{
    for (size_t i = 0; i < values->count; i++)
        if (roundl(flame_value(flame, values, values->list[i], flame->metrics[0])) < 0)
            return true;
    return false;
}

/* MINUS may be NULL; then lines have a second number only if a value is negative, as in a
 * difference. */
static void write_stacks(FILE *stream, const struct flame *flame, struct path_values *values,
                         const struct path_values *minus)
{
    uint32_t metric = flame->metrics[0];
    bool two = minus || has_negative(flame, values);
    struct text line = {0};
    for (size_t i = 0; i < values->count; i++) {
        uint32_t path = values->list[i];
        long double value = roundl(flame_value(flame, values, path, metric)), before = 0;
        if (minus)
            before = roundl(flame_value(flame, minus, path, metric));
        /* Flame graphs cannot show negative values: they are added to the other side. */
        long double after = (value > 0 ? value : 0) + (before < 0 ? -before : 0);
        before = (before > 0 ? before : 0) + (value < 0 ? -value : 0);
        if (after == 0 && before == 0)
            continue;
        text_clear(&line);
        add_stack(&line, flame->tree, path);
        if (two)
            text_addf(&line, " %.0Lf", before);
        fprintf(stream, "%s %.0Lf\n", text_string(&line), after);
    }
    text_free(&line);
}

static void write_folded(const struct export *export, const struct flame *flame, FILE *stream)
{
    struct path_values *values = path_values_create(flame->tree), *minus = NULL;
    (void)export;
    flame_fill(flame, FLAME_THIS, values);
    if (flame->has_minus) {
        minus = path_values_create(flame->tree);
        flame_fill(flame, FLAME_MINUS, minus);
        join(values, minus);
    }
    write_stacks(stream, flame, values, minus);
    path_values_free(values);
    path_values_free(minus);
}

int export_folded(const struct export *export)
{
    return flame_export(export, 1, write_folded);
}
