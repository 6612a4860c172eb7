/* See config.h. */
#include "host/config.h"

#include "host/message.h"

#include <string.h>
#include <unistd.h>

struct settings config;

static void complain(void *context, const char *text)
{
    (void)context;
    message(1, "%s", text);
}

void config_start(void)
{
    message_start();
    settings_load(&config, environ, NULL, NULL);
    /* Keep copies: programs overwrite their environment, to show a title in ps for instance. */
    for (int i = 0; i < SETTING_COUNT; i++) {
        char *copy = config.source[i] == SOURCE_environment ? strdup(config.text[i]) : NULL;
        config.text[i] = copy ? copy : config.text[i];
    }
    message_set_verbosity((int)config.number[SETTING_VERBOSE]);
}

void config_complain(void)
{
    struct settings again;
    settings_load(&again, environ, complain, NULL);
}

uint32_t config_clusters_async(void)
{
    int64_t clusters = config.number[SETTING_CLUSTERS];
    return clusters <= SETTING_CLUSTERS_AUTO ? CLUSTERS_AUTO : (uint32_t)clusters;
}

double config_error_bound_async(void)
{
    return setting_error_bound(config.number[SETTING_CLUSTERS]);
}

enum clustering_method config_clustering_async(void)
{
    return (enum clustering_method)config.number[SETTING_CLUSTERING];
}

enum equivalence config_equivalence_async(void)
{
    return (enum equivalence)config.number[SETTING_EQUIVALENCE];
}

/*
 * Walks a list like `all,-CG,-TOPO`: the last item that is NAME or `all`, with or without a
 * minus, decides; if there is none, the answer is STANDARD.
 */
static bool list_allows(const char *list, const char *name, bool standard)
{
    bool allowed = standard;
    while (*list) {
        size_t length = strcspn(list, ",");
        bool negative = *list == '-';
        const char *item = list + negative;
        size_t item_length = length - negative;
        if ((item_length == strlen(name) && strncmp(item, name, item_length) == 0) ||
            (item_length == 3 && strncmp(item, "all", 3) == 0))
            allowed = !negative;
        list += length + (list[length] == ',');
    }
    return allowed;
}

bool config_keeps_phase(const char *name, bool marked)
{
    return list_allows(config.text[SETTING_PHASES], name, marked);
}

bool config_unwinds_group(const char *group)
{
    return list_allows(config.text[SETTING_UNWIND], group, false);
}
