/* See parameters.h. */
#include "predict/parameters.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The parameters: times are doubles, lengths whole numbers. */
static const struct {
    const char *name, *unit; /* unit: NULL for a length */
    size_t field;
} parameters[] = {
    {"L", "s", offsetof(struct whatif_network, latency_ns)},
    {"o", "s", offsetof(struct whatif_network, overhead_ns)},
    {"g", "s", offsetof(struct whatif_network, gap_ns)},
    {"G", "s/byte", offsetof(struct whatif_network, byte_ns)},
    {"S", NULL, offsetof(struct whatif_network, synchronous_bytes)},
    {"s", NULL, offsetof(struct whatif_network, packet_bytes)},
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

struct unit {
    const char *name;
    double factor;
};

/* The factor of the unit that TEXT is; 0 if it is none. */
static double factor_of(const char *text, const struct unit *units, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, units[i].name) == 0)
            return units[i].factor;
    return 0;
}

static bool read_time(const char *text, double *ns)
{
    static const struct unit units[] = {
        {"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    char *end;
    const double value = strtod(text, &end);
    const double factor = factor_of(end, units, sizeof units / sizeof *units);
    *ns = value * factor;
    return end != text && factor > 0 && *ns >= 0 && *ns < 1e15;
}

static bool read_length(const char *text, uint64_t *bytes)
{
    static const struct unit units[] = {
        {"", 1}, {"k", 1024}, {"M", 1048576}, {"G", 1073741824}};
    char *end;
    *bytes = WHATIF_NO_SIZE;
    if (strcmp(text, "inf") == 0)
        return true;
    const double value = strtod(text, &end);
    const double factor = factor_of(end, units, sizeof units / sizeof *units);
    if (end == text || factor == 0 || value < 0 || value * factor >= 1e18)
        return false;
    *bytes = (uint64_t)(value * factor);
    return true;
}

static bool read_one(char *text, struct whatif_network *network, bool *given,
                     struct error *error)
{
    char *sign = strchr(text, '=');
    size_t i = 0;
    if (!sign)
        return error_set(error, "network %s: is not of the form L=2us", text);
    *sign = '\0';
    while (i < PARAMETERS && strcmp(text, parameters[i].name) != 0)
        i++;
    if (i == PARAMETERS)
        return error_set(error,
                         "network %s: there is no such parameter; there are L, o, g, G, S "
                         "and s",
                         text);
    if (given[i])
        return error_set(error, "network: %s is given twice", text);
    given[i] = true;
    void *field = (char *)network + parameters[i].field;
    const bool good =
        parameters[i].unit ? read_time(sign + 1, field) : read_length(sign + 1, field);
    return good || error_set(error, "network %s: %s is not a %s", text, sign + 1,
                             parameters[i].unit ? "time such as 2us" : "length such as 64k");
}

/* Parameters between commas and blanks. */
static bool read_all(char *text, struct whatif_network *network, bool *given,
                     struct error *error)
{
    char *rest = NULL;
    for (char *one = strtok_r(text, ", \t\n", &rest); one;
         one = strtok_r(NULL, ", \t\n", &rest))
        if (!read_one(one, network, given, error))
            return false;
    return true;
}

bool parameters_read(const char *text, struct whatif_network *network, struct error *error)
{
    bool given[PARAMETERS] = {false};
    char *copy = allocate(strlen(text) + 1, 1);
    memcpy(copy, text, strlen(text));
    const bool good = read_all(copy, network, given, error);
    free(copy);
    return good;
}

/* What is read of a file. */
struct reading {
    const char *path, *section;
    struct whatif_network *network;
    bool given[PARAMETERS];
    bool is_found, is_inside;
};

/* A line [NAME]. */
static bool begin_section(struct reading *reading, char *line, struct error *error)
{
    char *end = strchr(line, ']');
    if (!end)
        return error_set(error, "%s: a section's name does not end", reading->path);
    *end = '\0';
    if (reading->is_found) {
        reading->is_inside = false;
        return true;
    }
    /* The last one counts if none is the one that is sought. */
    memset(reading->given, 0, sizeof reading->given);
    reading->is_found = strcmp(line + 1, reading->section) == 0;
    reading->is_inside = true;
    return true;
}

static bool read_line(struct reading *reading, char *line, struct error *error)
{
    line[strcspn(line, "#\n")] = '\0';
    line += strspn(line, " \t");
    if (*line == '[')
        return begin_section(reading, line, error);
    return !reading->is_inside || read_all(line, reading->network, reading->given, error);
}

static bool read_stream(FILE *stream, struct reading *reading, struct error *error)
{
    char line[256];
    while (fgets(line, sizeof line, stream))
        if (!read_line(reading, line, error))
            return false;
    for (size_t i = 0; i < PARAMETERS; i++)
        if (!reading->given[i])
            return error_set(error, "%s: %s is missing", reading->path, parameters[i].name);
    return true;
}

bool parameters_read_file(const char *path, const char *section, struct whatif_network *network,
                          struct error *error)
{
    const char *colon = strrchr(path, ':');
    struct stat status;
    char *name = allocate(strlen(path) + 1, 1);
    memcpy(name, path, strlen(path));
    const bool is_named = colon && stat(path, &status) != 0;
    if (is_named)
        name[colon - path] = '\0';
    struct reading reading = {.path = name,
                              .section = is_named ? colon + 1 : section,
                              .network = network,
                              .is_inside = true};
    FILE *stream = fopen(name, "r");
    bool good = stream != NULL;
    if (!good)
        error_set(error, "%s: cannot be read: %s", name, strerror(errno));
    else
        good = read_stream(stream, &reading, error);
    if (good && is_named && !reading.is_found)
        good = error_set(error, "%s: there is no section [%s]", name, colon + 1);
    if (stream)
        fclose(stream);
    free(name);
    return good;
}

void parameters_add_text(const struct whatif_network *network, struct text *text)
{
    char number[QUANTITY_SIZE];
    for (size_t i = 0; i < PARAMETERS; i++) {
        const void *field = (const char *)network + parameters[i].field;
        text_addf(text, "%s%s ", i > 0 ? ", " : "", parameters[i].name);
        if (parameters[i].unit)
            text_addf(text, "%s%s",
                      format_quantity(number, *(const double *)field * 1e-9L, "s"),
                      parameters[i].unit + 1);
        else if (*(const uint64_t *)field == WHATIF_NO_SIZE)
            text_add(text, "none");
        else
            text_addf(text, "%ju bytes", (uintmax_t) * (const uint64_t *)field);
    }
}
