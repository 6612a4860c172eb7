/* Whether the numbers add up.  See info.h. */
#include "accuracy/accuracy.h"
#include "info/info.h"

/* Prints a check that PROMISE describes and frees it; returns whether it holds. */
static bool print_check(const char *label, const char *promise, struct check check)
{
    struct text text = {0};
    bool holds = check_holds(&check);
    text_addf(&text, "%s: %s on %zu of %zu locations", holds ? "exact" : "NOT EXACT", promise,
              check.good_locations, check.locations);
    if (check.clusters)
        text_addf(&text, " and in %zu of %zu clusters", check.good_clusters, check.clusters);
    if (!holds)
        text_addf(&text, "; first: %s", text_string(&check.first));
    info_line(label, &text);
    text_free(&check.first);
    return holds;
}

bool info_checks(const struct summary *summary)
{
    bool good = print_check("accounting", "computation + MPI + overhead = wall time",
                            check_accounting(summary));
    struct check counting = check_counters(summary);
    if (counting.locations > 0)
        good &=
            print_check("counting", "counters of all call paths = what was counted", counting);
    return print_check("totals", "outside iterations + clusters = whole run, cell by cell,",
                       check_totals(summary)) &&
           good;
}
