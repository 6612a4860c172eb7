/* The settings in force: lists of groups and phases, and texts that outlive the environment. */
#include "host/config.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>

static void test_groups_to_unwind(void)
{
    static const struct {
        const char *list, *group;
        bool unwound;
    } cases[] = {
        {"all", "P2P", true},
        {"all,-CG", "CG", false},
        {"all,-CG", "P2P", true},
        {"all,-CG", "CG_EXT", true},
        {"all,-CG_EXT", "CG", true},
        {"all,-CG_EXT", "CG_EXT", false},
        {"P2P", "P2P", true},
        {"P2P", "COLL", false},
        {"P2P,COLL", "COLL", true},
        {"-all", "P2P", false},
        {"all,-all,COLL", "P2P", false},
        {"all,-all,COLL", "COLL", true},
        {"", "P2P", false},
        {",,all,", "P2P", true},
        {"all,-P2P,P2P", "P2P", true},
        {"all,-P", "P2P", true},
        {"alles", "P2P", false},
        {"all,-CG,CG_EXT", "CG_EXT", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        config.text[SETTING_UNWIND] = cases[i].list;
        EQ_INT(config_unwinds_group(cases[i].group), cases[i].unwound, "%s in \"%s\"",
               cases[i].group, cases[i].list);
    }
}

static void test_phases_to_keep(void)
{
    config.text[SETTING_PHASES] = "";
    OK(config_keeps_phase("step", true), "an iteration is kept");
    OK(!config_keeps_phase("setup", false), "a phase is summed");
    config.text[SETTING_PHASES] = "setup,-step";
    OK(!config_keeps_phase("step", true), "unless the list says otherwise");
    OK(config_keeps_phase("setup", false), "of either");
    OK(config_keeps_phase("other", true), "what it does not name is as marked");
    config.text[SETTING_PHASES] = "-all";
    OK(!config_keeps_phase("step", true), "all can be summed");
}

static void test_texts_outlive_the_environment(void)
{
    static char variable[] = "TSPROF_OUTPUT=here.tsprof";
    putenv(variable);
    config_start();
    memset(variable, 'x', sizeof variable - 1);
    OK(strcmp(config.text[SETTING_OUTPUT], "here.tsprof") == 0, "though it is written over");
}

static void test_words_are_those_of_the_clustering(void)
{
    config.number[SETTING_CLUSTERING] = CLUSTERING_SZEBENYI;
    OK(config_clustering_async() == CLUSTERING_SZEBENYI &&
           strcmp(setting_clustering_name(CLUSTERING_SZEBENYI), "szebenyi") == 0,
       "szebenyi");
}

int main(void)
{
    test_texts_outlive_the_environment();
    test_groups_to_unwind();
    test_phases_to_keep();
    test_words_are_those_of_the_clustering();
    return tap_done();
}
