/* See open_subject.h. */
#include "command/open_subject.h"

#include "print/print.h"

bool open_subject(struct subject *subject, struct options *options)
{
    struct error error;
    const bool is_newest = !options->file;
    if ((is_newest && !(options->file = subject_newest(&error))) ||
        !subject_open(subject, options->file, &error)) {
        complain("%s", error.text);
        return false;
    }
    /* Not on standard output, so that what is piped is the command's answer alone. */
    if (is_newest)
        complain("the newest summary here is %s", options->file);
    return true;
}
