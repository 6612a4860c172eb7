/* See thresholds.h. */
#include "findings/thresholds.h"

#include "print/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *name;
    double value;
    const char *unit;
    double factor;
};

static const struct row rows[THRESHOLDS] = {
#define THRESHOLD(id, name, value, unit, factor) [THRESHOLD_##id] = {name, value, unit, factor},
#include "findings/properties.def"
#undef THRESHOLD
};

struct thresholds thresholds_default(void)
{
    struct thresholds thresholds = {.master_given = false};
    for (int i = 0; i < THRESHOLDS; i++)
        thresholds.value[i] = rows[i].value * rows[i].factor;
    return thresholds;
}

/* A decimal number, not negative; what else strtod takes, such as "nan" and "0x1", is none. */
static bool read_value(const char *text, double *value)
{
    char *end;
    if (strspn(text, "0123456789.") != strlen(text))
        return false;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static bool complain_of(const char *text, struct error *error)
{
    struct text names = {0};
    for (int i = 0; i < THRESHOLDS; i++)
        text_addf(&names, "%s%s=N%s",
                  i == 0               ? ""
                  : i + 1 < THRESHOLDS ? ", "
                                       : " or ",
                  rows[i].name, rows[i].unit[0] ? rows[i].unit : "");
    error_set(error, "report: invalid value for --threshold: %s; it takes %s", text,
              text_string(&names));
    text_free(&names);
    return false;
}

/* The length of TEXT without UNIT at its end, which need not be there. */
static size_t length_without(const char *text, const char *unit)
{
    const size_t length = strlen(text), more = strlen(unit);
    return length > more && strcmp(text + length - more, unit) == 0 ? length - more : length;
}

bool thresholds_read(struct thresholds *thresholds, const char *text, struct error *error)
{
    const char *sign = strchr(text, '=');
    char number[64] = "";
    double value;
    int i = 0;
    if (!sign)
        return complain_of(text, error);
    while (i < THRESHOLDS && (strlen(rows[i].name) != (size_t)(sign - text) ||
                              strncmp(rows[i].name, text, (size_t)(sign - text)) != 0))
        i++;
    if (i == THRESHOLDS)
        return complain_of(text, error);
    const size_t length = length_without(sign + 1, rows[i].unit);
    if (length >= sizeof number)
        return complain_of(text, error);
    memcpy(number, sign + 1, length);
    if (!read_value(number, &value))
        return complain_of(text, error);
    thresholds->value[i] = value * rows[i].factor;
    return true;
}
