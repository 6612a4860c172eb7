/* How the report shows call paths.  See report.h. */
#include "report/report.h"

void report_add_name(const struct report *report, uint32_t path, struct text *text)
{
    path_add_name(report->tree, path, report->names, text);
}

void report_add_frames(struct report *report, uint32_t path, uint32_t keep, size_t column,
                       size_t lines)
{
    const size_t room = lines * (report->columns - column);
    struct text whole = {0}, shown = {0};
    path_add_frames_keeping(report->tree, path, keep, report->names, room, &whole);
    text_add_shortened(&shown, text_string(&whole), room);
    text_add_wrapped(&report->text, text_string(&shown), column, column, report->columns);
    text_free(&whole);
    text_free(&shown);
}
