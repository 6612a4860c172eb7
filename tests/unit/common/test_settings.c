/* Settings: defaults, values of every kind, and what is said about wrong ones. */
#include "common/settings.h"

#include "tap.h"

#include <string.h>

/* What was complained about: how often, and the last message. */
struct heard {
    unsigned count;
    char last[512];
};

static void hear(void *context, const char *message)
{
    struct heard *heard = context;
    heard->count++;
    snprintf(heard->last, sizeof heard->last, "%s", message);
}

/* Settings of an environment with one variable; texts are valid until the next call. */
static struct settings load_one(const char *variable, struct heard *heard)
{
    static char kept[256];
    char *environment[] = {kept, NULL};
    struct settings settings;
    snprintf(kept, sizeof kept, "%s", variable);
    *heard = (struct heard){0};
    settings_load(&settings, environment, hear, heard);
    return settings;
}

static void test_an_empty_environment_gives_all_defaults(void)
{
    struct settings settings;
    struct heard heard = {0};
    settings_load(&settings, NULL, hear, &heard);
    EQ_INT(heard.count, 0, "no environment, no complaints");
    EQ_INT(settings.number[SETTING_CLUSTERS], SETTING_CLUSTERS_AUTO,
           "as many clusters as there is room for by default");
    EQ_INT(settings.number[SETTING_MEMORY], 32 << 20, "32M are 33554432 bytes");
    OK(strcmp(setting_equivalence_name((uint64_t)settings.number[SETTING_EQUIVALENCE]),
              "auto") == 0,
       "equivalence auto by default");
    for (int i = 0; i < SETTING_COUNT; i++)
        OK(settings.source[i] == SOURCE_default &&
               strcmp(settings.text[i], setting_table[i].standard) == 0,
           "%s is its default", setting_table[i].variable);
}

static void test_every_default_is_allowed(void)
{
    for (int i = 0; i < SETTING_COUNT; i++) {
        struct heard heard;
        char variable[256];
        snprintf(variable, sizeof variable, "%s=%s", setting_table[i].variable,
                 setting_table[i].standard);
        struct settings settings = load_one(variable, &heard);
        OK(heard.count == 0 && settings.source[i] == SOURCE_environment,
           "the default of %s may be written out", setting_table[i].variable);
    }
}

static void test_values_are_read(void)
{
    static const struct {
        const char *variable;
        enum setting which;
        int64_t number;
    } cases[] = {
        {"TSPROF_CLUSTERS=0", SETTING_CLUSTERS, 0},
        {"TSPROF_CLUSTERS=65536", SETTING_CLUSTERS, 65536},
        {"TSPROF_CLUSTERS=auto", SETTING_CLUSTERS, SETTING_CLUSTERS_AUTO},
        {"TSPROF_CLUSTERS=1%", SETTING_CLUSTERS, SETTING_CLUSTERS_AUTO - 1000},
        {"TSPROF_CLUSTERS=0.25%", SETTING_CLUSTERS, SETTING_CLUSTERS_AUTO - 250},
        {"TSPROF_CLUSTERS=100%", SETTING_CLUSTERS, SETTING_CLUSTERS_AUTO - 100000},
        {"TSPROF_RATE=0007", SETTING_RATE, 7},
        {"TSPROF_MEMORY=1048576", SETTING_MEMORY, 1048576},
        {"TSPROF_MEMORY=2048K", SETTING_MEMORY, 2 << 20},
        {"TSPROF_MEMORY=16G", SETTING_MEMORY, INT64_C(16) << 30},
        {"TSPROF_MEMORY=5m", SETTING_MEMORY, 5 << 20},
        {"TSPROF_EQUIVALENCE=none", SETTING_EQUIVALENCE, 0},
        {"TSPROF_EQUIVALENCE=strong", SETTING_EQUIVALENCE, 1},
        {"TSPROF_EQUIVALENCE=weak", SETTING_EQUIVALENCE, 2},
        {"TSPROF_EQUIVALENCE=hybrid", SETTING_EQUIVALENCE, 3},
        {"TSPROF_CLUSTERING=szebenyi", SETTING_CLUSTERING, 0},
        {"TSPROF_CLUSTERING=adaptive", SETTING_CLUSTERING, 1},
        {"TSPROF_COMPRESS_AT=iteration", SETTING_COMPRESS_AT, COMPRESS_AT_ITERATION},
        {"TSPROF_COMPRESS_AT=collective", SETTING_COMPRESS_AT, COMPRESS_AT_COLLECTIVE},
        {"TSPROF_CLUSTERING=szebenyi", SETTING_CLUSTERING, 0},
        {"TSPROF_CLUSTERING=adaptive", SETTING_CLUSTERING, 1},
        {"TSPROF_PCONTROL=levels", SETTING_PCONTROL, PCONTROL_LEVELS},
        {"TSPROF_PCONTROL=names", SETTING_PCONTROL, PCONTROL_NAMES},
        {"TSPROF_PCONTROL=off", SETTING_PCONTROL, PCONTROL_OFF},
        {"TSPROF_VISITS=bound", SETTING_VISITS, VISITS_BOUND},
        {"TSPROF_VISITS=exact", SETTING_VISITS, VISITS_EXACT},
        {"TSPROF_OUTPUT=a b=c", SETTING_OUTPUT, 0},
        {"TSPROF_PHASES=", SETTING_PHASES, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct heard heard;
        struct settings settings = load_one(cases[i].variable, &heard);
        OK(heard.count == 0 && settings.number[cases[i].which] == cases[i].number &&
               settings.source[cases[i].which] == SOURCE_environment &&
               strcmp(settings.text[cases[i].which], strchr(cases[i].variable, '=') + 1) == 0,
           "%s is taken", cases[i].variable);
    }
}

static void test_bad_values_are_named_and_the_default_holds(void)
{
    static const struct {
        const char *variable;
        enum setting which;
    } cases[] = {
        {"TSPROF_CLUSTERS=65537", SETTING_CLUSTERS},
        {"TSPROF_CLUSTERS=-1", SETTING_CLUSTERS},
        {"TSPROF_CLUSTERS=AUTO", SETTING_CLUSTERS},
        {"TSPROF_CLUSTERS=0%", SETTING_CLUSTERS},
        {"TSPROF_CLUSTERS=101%", SETTING_CLUSTERS},
        {"TSPROF_CLUSTERS=1.%", SETTING_CLUSTERS},
        {"TSPROF_CLUSTERS=1.0001%", SETTING_CLUSTERS},
        {"TSPROF_CLUSTERS=1 %", SETTING_CLUSTERS},
        {"TSPROF_RATE=", SETTING_RATE},
        {"TSPROF_RATE=1e3", SETTING_RATE},
        {"TSPROF_RATE= 5", SETTING_RATE},
        {"TSPROF_RATE=10K", SETTING_RATE},
        {"TSPROF_MEMORY=1K", SETTING_MEMORY},
        {"TSPROF_MEMORY=17G", SETTING_MEMORY},
        {"TSPROF_MEMORY=1MB", SETTING_MEMORY},
        {"TSPROF_MEMORY=99999999999999999999999", SETTING_MEMORY},
        {"TSPROF_MEMORY=9223372036854775807G", SETTING_MEMORY},
        {"TSPROF_EQUIVALENCE=Weak", SETTING_EQUIVALENCE},
        {"TSPROF_CLUSTERING=ward", SETTING_CLUSTERING},
        {"TSPROF_COMPRESS_AT=never", SETTING_COMPRESS_AT},
        {"TSPROF_CLUSTERING=ward", SETTING_CLUSTERING},
        {"TSPROF_PCONTROL=1", SETTING_PCONTROL},
        {"TSPROF_VISITS=1", SETTING_VISITS},
        {"TSPROF_OUTPUT=", SETTING_OUTPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct heard heard;
        enum setting which = cases[i].which;
        struct settings settings = load_one(cases[i].variable, &heard);
        OK(heard.count == 1 && strstr(heard.last, cases[i].variable) &&
               strstr(heard.last, setting_table[which].standard),
           "%s: the message names variable, value and default", cases[i].variable);
        OK(settings.source[which] == SOURCE_default &&
               settings.text[which] == setting_table[which].standard,
           "%s: the default holds", cases[i].variable);
    }
}

static void test_unknown_variables_get_the_nearest_name(void)
{
    static const struct {
        const char *variable, *meant;
    } cases[] = {
        {"TSPROF_CLUSTER=1", "TSPROF_CLUSTERS"},
        {"TSPROF_CLUTSERS=1", "TSPROF_CLUSTERS"},
        {"TSPROF_RTAE=1", "TSPROF_RATE"},
        {"TSPROF_MEM=1", "TSPROF_MEMORY"},
        {"TSPROF_OUTPUTS=x", "TSPROF_OUTPUT"},
        {"TSPROF_ITERATIONS=x", "TSPROF_ITERATION"},
        {"TSPROF_ZEBRA=x", NULL},
        {"TSPROF_X=x", NULL},
        {"TSPROF_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=1",
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct heard heard;
        load_one(cases[i].variable, &heard);
        if (cases[i].meant)
            OK(heard.count == 1 && strstr(heard.last, cases[i].meant), "%s: %s is offered",
               cases[i].variable, cases[i].meant);
        else
            OK(heard.count == 1 && !strstr(heard.last, "did you mean"),
               "%s: nothing is offered", cases[i].variable);
    }
}

static void test_other_variables_are_left_alone(void)
{
    static const char *const others[] = {"TSPROF=1", "TSPROF_=1",         "TSPROF_rate=1",
                                         "PATH=/",   "TSPROF_RATE",       "tsprof_RATE=1",
                                         "",         "TSPROF_RATE-X=oops"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct heard heard;
        struct settings settings = load_one(others[i], &heard);
        OK(heard.count == 0 && settings.source[SETTING_RATE] == SOURCE_default,
           "\"%s\" is not ours", others[i]);
    }
}

static void test_the_first_of_two_counts_and_control_characters_are_hidden(void)
{
    char first[] = "TSPROF_RATE=1", second[] = "TSPROF_RATE=2",
         evil[] = "TSPROF_VERBOSE=\x1b[2J";
    char *environment[] = {first, second, evil, NULL};
    struct settings settings;
    struct heard heard = {0};
    settings_load(&settings, environment, hear, &heard);
    EQ_INT(settings.number[SETTING_RATE], 1, "the first of two counts");
    OK(heard.count == 1 && !strchr(heard.last, '\x1b'), "no escape reaches the message");
    settings_load(&settings, environment, NULL, NULL);
    EQ_INT(settings.number[SETTING_VERBOSE], 1, "nobody has to listen");
}

int main(void)
{
    test_an_empty_environment_gives_all_defaults();
    test_every_default_is_allowed();
    test_values_are_read();
    test_bad_values_are_named_and_the_default_holds();
    test_unknown_variables_get_the_nearest_name();
    test_other_variables_are_left_alone();
    test_the_first_of_two_counts_and_control_characters_are_hidden();
    return tap_done();
}
