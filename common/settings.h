/*
 * The environment variables of tsprof: their table, and their values in one process.
 *
 * Used by the runtime when a program starts, and by `tsprof config`.  It runs in other people's
 * processes: it takes no memory, never exits, and leaves errno and the environment alone.  Not
 * for signal handlers.
 */
#ifndef TSPROF_SETTINGS_H
#define TSPROF_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting {
#define SETTING(id, kind, standard, low, high, text) SETTING_##id,
#include "common/settings.def"
#undef SETTING
    SETTING_COUNT
};

enum setting_kind {
    SETTING_KIND_integer,
    SETTING_KIND_bytes,       /* integer with an optional K, M or G (powers of 1024) */
    SETTING_KIND_clusters,    /* integer, `auto` or an error in per cent, see below */
    SETTING_KIND_clustering,  /* one of the names of setting_clustering_name */
    SETTING_KIND_equivalence, /* one of the names of setting_equivalence_name */
    SETTING_KIND_iteration,   /* see iteration_spec.h; 0 as a number */
    SETTING_KIND_moment,      /* iteration or collective: enum setting_moment */
    SETTING_KIND_pcontrol,    /* levels, names or off: enum setting_pcontrol */
    SETTING_KIND_timer,       /* auto, cpu or perf: enum setting_timer */
    SETTING_KIND_trace,       /* see trace_spec.h; 0 as a number */
    SETTING_KIND_visits,      /* bound or exact: enum setting_visits */
    SETTING_KIND_text
};

struct setting_info {
    const char *variable; /* "TSPROF_CLUSTERS" */
    const char *name;     /* "CLUSTERS" */
    enum setting_kind kind;
    const char *standard; /* the default, as one would write it in the environment */
    int64_t low, high;    /* allowed numbers; for text, `low` is the least length */
    const char *text;     /* one sentence for manuals */
};

/* The table, indexed by enum setting. */
extern const struct setting_info setting_table[SETTING_COUNT];

enum setting_source { SOURCE_default, SOURCE_environment };

/* What SETTING_TIMER holds as a number. */
enum setting_timer { TIMER_AUTO, TIMER_CPU, TIMER_PERF };

/* What SETTING_PCONTROL holds as a number. */
enum setting_pcontrol { PCONTROL_LEVELS, PCONTROL_NAMES, PCONTROL_OFF };

/* What SETTING_COMPRESS_AT holds as a number. */
enum setting_moment { COMPRESS_AT_ITERATION, COMPRESS_AT_COLLECTIVE };

/* What SETTING_VISITS holds as a number. */
enum setting_visits { VISITS_BOUND, VISITS_EXACT };

/* What SETTING_CLUSTERS holds as a number for `auto`. */
#define SETTING_CLUSTERS_AUTO (-1)

/*
 * The error, as a share, that a value of SETTING_CLUSTERS as a number asks for, given in per
 * cent; 0 for numbers of clusters and `auto`.
 */
double setting_error_bound(int64_t clusters);

/*
 * Reads VALUE as a value of the setting WHICH into *NUMBER (see struct settings); false if it
 * is not allowed.
 */
bool setting_read(enum setting which, const char *value, int64_t *number);

/* The values in force.  Texts are views of the environment's strings or of the table. */
struct settings {
    const char *text[SETTING_COUNT];
    /* the number or bytes; for a word its index in the list of words; for a text 0 */
    int64_t number[SETTING_COUNT];
    enum setting_source source[SETTING_COUNT];
};

/* Called with one line, without newline or prefix; MESSAGE is valid only during the call. */
typedef void (*setting_complaint)(void *context, const char *message);

/*
 * Fills SETTINGS from ENVIRONMENT (an array like `environ`; NULL for an empty one), which must
 * outlive it.  Cannot fail: an unknown variable TSPROF_[A-Z0-9_]+ is reported with the nearest
 * known name, and a bad value with what is allowed; then the default holds.  COMPLAIN may be
 * NULL.
 */
void settings_load(struct settings *settings, char *const *environment,
                   setting_complaint complain, void *context);

/* "default" or "environment". */
const char *setting_source_name(enum setting_source source);

/*
 * "none", "strong", "weak", "hybrid", "auto", "communication", "similar" for 0 to 6 (enum
 * equivalence); NULL beyond.
 */
const char *setting_equivalence_name(uint64_t index);

/* "szebenyi", "adaptive" for 0 and 1 (enum clustering_method); NULL beyond. */
const char *setting_clustering_name(uint64_t index);

/*
 * Describes the allowed values of WHICH: "a whole number from 0 to 10000".  Cut to SIZE bytes.
 */
void setting_describe(enum setting which, char *text, size_t size);

#endif
