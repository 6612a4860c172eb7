/* What the parts of the report share.  See report.h. */
#include "report/report.h"

void report_title(struct report *report, const char *title)
{
    text_add(&report->text, "\n");
    style_add(&report->text, report->palette, STYLE_TITLE, title);
}

void report_warn(struct report *report, const char *warning)
{
    text_add(&report->text, report->palette->begin[STYLE_ATTENTION]);
    text_add_wrapped(&report->text, warning, 0, 2, report->columns);
    text_add(&report->text, report->palette->end);
}
