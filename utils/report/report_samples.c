/* The report's list of samples that were not walked to the root.  See report.h. */
#include "accuracy/accuracy.h"
#include "report/report.h"

#include <inttypes.h>

#define PLACES        5
#define COUNT_COLUMNS 10
#define SHARE_COLUMNS 8

static void add_place(struct report *report, const struct failure *failure, int64_t samples)
{
    struct text place = {0};
    char cell[QUANTITY_SIZE];
    text_add_right(&report->text, format_quantity(cell, (long double)failure->samples, "occ"),
                   COUNT_COLUMNS);
    text_add_right(&report->text,
                   format_percent(cell, (long double)failure->samples, (long double)samples),
                   SHARE_COLUMNS);
    text_add(&report->text, "  ");
    failure_add_place(&place, report->summary, failure);
    text_add_shortened(&report->text, text_string(&place),
                       report->columns - COUNT_COLUMNS - SHARE_COLUMNS - 2);
    text_add(&report->text, "\n");
    text_free(&place);
}

void report_samples(struct report *report)
{
    struct failures failures = failures_find(report->selection);
    size_t most = report->top ? report->top : PLACES;
    char failed[QUANTITY_SIZE], samples[QUANTITY_SIZE], share[QUANTITY_SIZE];
    if (failures.failed > 0) {
        report_title(report, "Samples not followed to the root");
        text_addf(
            &report->text, ": %s of %s, %s %%\n",
            format_quantity(failed, (long double)failures.failed, "occ"),
            format_quantity(samples, (long double)failures.samples, "occ"),
            format_percent(share, (long double)failures.failed, (long double)failures.samples));
        text_add_right(&report->text, "samples", COUNT_COLUMNS);
        text_add_right(&report->text, "%", SHARE_COLUMNS);
        text_add(&report->text, "  where the walk stopped\n");
        for (size_t i = 0; i < failures.count && i < most; i++)
            add_place(report, &failures.list[i], failures.samples);
        if (failures.count > most)
            text_addf(&report->text, "%*s%zu more\n", COUNT_COLUMNS + SHARE_COLUMNS + 2, "",
                      failures.count - most);
    }
    failures_free(&failures);
}
