/* A score as a table for scripts.  See score.h. */
#include "score/score.h"

static void write_row(struct table *table, const struct score *score, enum score_type type,
                      const struct score_function *function)
{
    const struct score_sums *sums = function ? &function->sums : &score->types[type];
    const long double all_s = score->types[SCORE_ALL].time_s;
    table_text(table, score_type_name(type));
    if (function)
        table_text(table, function->name);
    else
        table_empty(table);
    if (type == SCORE_SAMPLED)
        table_empty(table);
    else
        table_value(table, sums->visits);
    table_value(table, sums->time_s);
    table_value(table, sums->cost_s);
    table_value(table, all_s > 0 ? sums->cost_s / all_s : 0);
    table_value(table, sums->bytes);
    if (function)
        table_empty(table);
    else
        table_value(table, sums->most_bytes);
    if (function && score_is_instrumented(function))
        table_count(table, function->hidden);
    else
        table_empty(table);
    table_end_row(table);
}

void score_write_table(const struct score *score, enum table_notation notation, FILE *stream)
{
    struct table table;
    table_begin(&table, stream, notation, "score",
                "type,function,visits,time,cost,share,trace_bytes,most_trace_bytes,hidden");
    for (int type = 0; type < SCORE_TYPES; type++)
        write_row(&table, score, (enum score_type)type, NULL);
    for (size_t i = 0; i < score->count; i++)
        write_row(&table, score, score->functions[i].type, &score->functions[i]);
    table_end(&table);
}
