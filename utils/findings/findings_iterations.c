/*
 * Searches for iterations that take longer than their neighbours: single ones, and such that
 * come at regular distances.  See findings_look.h; doc/report.md tells the rules.
 */
#include "findings/findings_look.h"

#include "base/base.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WILD           8    /* an outlier has as many standard deviations more */
#define WILD_SHARE     0.2  /* it also has this share of its neighbours' value more */
#define MOST_OUTLIERS  0.25 /* if a larger share of all stands out, none are outliers */
#define MOST_FOLD      64   /* the longest period of iterations that all differ */
#define FOLD_WIDTH     64   /* iterations in a row that are averaged as trend */
#define FOLD_SHARE     0.5  /* a period must explain this share of the variance */
#define FOLD_EFFECT    0.05 /* it must change iterations by this share */
#define FOLD_HELD      0.8  /* it must show in this share of the stretches of the run */
#define FOLD_LEAST     0.5  /* it shows where it has this share of its mean effect */
#define FOLD_STRETCH   16   /* least number of iterations in a stretch */
#define ALIKE          0.95 /* of the largest share: a shorter period explains as much */
#define FOLD_MEANS     16 /* of successive periods, in which those of call paths are looked for */
#define MOST_COMBS     4 /* regular distances in one phase */
#define CANDIDATES     8 /* distances tried for each */
#define LEAST_TEETH    4
#define COMB_COVERAGE  0.8 /* share of the iterations at a regular distance that stand out */
#define COMB_APART     0.5 /* of what stands out at a regular distance, as much may in between */
#define MOST_GROUPS    8   /* causes that single iterations are told apart by */
#define ROW            0.6 /* of the largest of a row: it is the same that makes it stand out */
#define AROUND         8   /* neighbours on either side to compare with, to find a cause */
#define MOST_EXPLAINED 512 /* iterations of a group whose neighbours are compared with */

/* A search: the values, without what has been found already. */
struct hunt {
    const struct look *look;
    struct collection *collection;
    size_t count;
    double *values;         /* those of look->rest */
    double *base, *surplus; /* surplus = value - base */
    double limit;           /* a surplus above it stands out, if the share is large */
    bool *wild;
    size_t wild_count;
};

/* The values minus their trend, with extremes limited; for the caller to free(). */
static double *detrended(const double *values, size_t count)
{
    double *sorted = allocate(count, sizeof *sorted), *flat = allocate(count, sizeof *flat);
    memcpy(sorted, values, count * sizeof *sorted);
    sort_values(sorted, count);
    double low = sorted_quantile(sorted, count, 0.02),
           high = sorted_quantile(sorted, count, 0.98);
    double sum = 0;
    size_t width = count < FOLD_WIDTH ? count : FOLD_WIDTH, first = 0;
    for (size_t i = 0; i < count; i++)
        sorted[i] = values[i] < low ? low : values[i] > high ? high : values[i];
    for (size_t i = 0; i < width; i++)
        sum += sorted[i];
    for (size_t i = 0; i < count; i++) {
        for (; first + width < count && i > first + width / 2; first++)
            sum += sorted[first + width] - sorted[first];
        flat[i] = sorted[i] - sum / (double)width;
    }
    free(sorted);
    return flat;
}

/*
 * How well the classes of PERIOD explain VALUES: the share of the variance that the other
 * members of its class predict of each; few members explain much of anything that changes
 * slowly.
 */
static double explained(const double *values, const uint64_t *at, size_t count, size_t period,
                        double variance)
{
    double sums[MOST_FOLD] = {0}, squares[MOST_FOLD] = {0}, numbers[MOST_FOLD] = {0}, left = 0;
    for (size_t i = 0; i < count; i++) {
        sums[at[i] % period] += values[i];
        squares[at[i] % period] += values[i] * values[i];
        numbers[at[i] % period]++;
    }
    for (size_t c = 0; c < period; c++) {
        double n = numbers[c];
        /* Each is n / (n - 1) times as far from the mean of the others as from that of all. */
        if (n > 1)
            left += n / (n - 1) * (n / (n - 1)) * (squares[c] - sums[c] * sums[c] / n);
        else
            left += squares[c];
    }
    return 1 - left / variance;
}

/* What a period is looked for in: values by iteration, `at` modulo the period being the class.
 */
struct folded {
    double *values;
    uint64_t *at;
    size_t count;
};

static void folded_free(struct folded *folded)
{
    free(folded->values);
    free(folded->at);
}

/* How many successive periods are taken together: of a call path what single iterations have
 * is known by few samples, or varies with what ranks wait for. */
static uint64_t periods_together(const struct hunt *hunt, size_t period)
{
    const uint64_t *at = hunt->look->points.at;
    const uint64_t periods = at[hunt->count - 1] / period - at[0] / period + 1;
    return hunt->look->of_path && periods > FOLD_MEANS ? periods / FOLD_MEANS : 1;
}

/* Means of VALUES in EACH successive periods. */
static struct folded fold_means(const struct hunt *hunt, const double *values, size_t period,
                                uint64_t each)
{
    const uint64_t *at = hunt->look->points.at, first = at[0] / period;
    const size_t most = (size_t)((at[hunt->count - 1] / period - first) / each + 1) * period;
    struct folded folded = {.values = allocate(most, sizeof *folded.values),
                            .at = allocate(most, sizeof *folded.at)};
    double *numbers = allocate(most, sizeof *numbers);
    for (size_t i = 0; i < hunt->count; i++) {
        const uint64_t mean = (at[i] / period - first) / each;
        const size_t cell = (size_t)(mean * period + at[i] % period);
        folded.values[cell] += values[i];
        numbers[cell]++;
    }
    for (size_t cell = 0; cell < most; cell++)
        if (numbers[cell] > 0) {
            folded.values[folded.count] = folded.values[cell] / numbers[cell];
            folded.at[folded.count++] = cell;
        }
    free(numbers);
    return folded;
}

/* VALUES by iteration or, of a call path, means of so many successive periods that FOLD_MEANS
 * are left; for folded_free. */
static struct folded fold(const struct hunt *hunt, const double *values, size_t period)
{
    const uint64_t each = periods_together(hunt, period);
    if (each > 1)
        return fold_means(hunt, values, period, each);
    struct folded folded = {.values = allocate(hunt->count, sizeof *folded.values),
                            .at = allocate(hunt->count, sizeof *folded.at),
                            .count = hunt->count};
    memcpy(folded.values, values, hunt->count * sizeof *values);
    memcpy(folded.at, hunt->look->points.at, hunt->count * sizeof *folded.at);
    return folded;
}

/* The share of the variance of VALUES, without their trend and taken together for TOGETHER,
 * that classes of PERIOD explain; it divides TOGETHER. */
static double explained_by(const struct hunt *hunt, const double *values, size_t together,
                           size_t period)
{
    struct folded folded = fold(hunt, values, together);
    double sum = 0, variance = 0;
    for (size_t i = 0; i < folded.count; i++)
        sum += folded.values[i];
    for (size_t i = 0; i < folded.count; i++) {
        folded.values[i] -= sum / (double)folded.count;
        variance += folded.values[i] * folded.values[i];
    }
    const double share =
        variance > 0 ? explained(folded.values, folded.at, folded.count, period, variance) : 0;
    folded_free(&folded);
    return share;
}

/* Whether so many iterations are repeated often enough to be a period. */
static bool is_possible(const struct hunt *hunt, size_t period)
{
    return period <= MOST_FOLD && 8 * period <= hunt->count;
}

/*
 * The period of which PERIOD is only a part: means of several of those alternate.  That is
 * asked of the same means; then the shortest period that explains these as well.
 */
static size_t whole_period(const struct hunt *hunt, const double *flat, size_t period)
{
    size_t whole = period;
    double most = 0;
    for (size_t p = 2 * period; is_possible(hunt, p); p += period) {
        const double share = explained_by(hunt, flat, p, p);
        if (share > most && ALIKE * share > explained_by(hunt, flat, p, period)) {
            most = share;
            whole = p;
        }
    }
    for (size_t p = 2; whole > period && p < whole; p++)
        if (whole % p == 0 && explained_by(hunt, flat, whole, p) >= ALIKE * most)
            return p;
    return whole;
}

/* The shortest period that explains nearly as much as any; 0: none. */
static size_t find_fold(const struct hunt *hunt)
{
    double *flat = detrended(hunt->values, hunt->count), best = 0;
    double shares[MOST_FOLD + 1] = {0};
    size_t found = 0;
    for (size_t p = 2; is_possible(hunt, p); p++) {
        shares[p] = explained_by(hunt, flat, p, p);
        best = shares[p] > best ? shares[p] : best;
    }
    for (size_t p = 2; p <= MOST_FOLD && best >= FOLD_SHARE && found == 0; p++)
        found = shares[p] >= ALIKE * best ? p : 0;
    if (found && hunt->look->of_path)
        found = whole_period(hunt, flat, found);
    free(flat);
    return found;
}

/* Medians of the iterations of each class of PERIOD. */
static void class_medians(const struct hunt *hunt, size_t period, double *medians)
{
    struct folded folded = fold(hunt, hunt->values, period);
    double *members = allocate(folded.count, sizeof *members);
    for (size_t c = 0; c < period; c++) {
        size_t count = 0;
        for (size_t i = 0; i < folded.count; i++)
            if (folded.at[i] % period == c)
                members[count++] = folded.values[i];
        medians[c] = count ? median_of(members, count) : NAN;
    }
    free(members);
    folded_free(&folded);
}

/* The first MOST points for which ON is true, as *COUNT ranges; for the caller to free(). */
static struct range *list_points(const struct points *points, const bool *on, size_t most,
                                 size_t *count)
{
    struct range *list = allocate(points->count < most ? points->count : most, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < points->count && most > 0; i++) {
        if (!on[i])
            continue;
        most--;
        if (*count > 0 && list[*count - 1].last + 1 == points->at[i])
            list[*count - 1].last = point_last(points, i);
        else
            list[(*count)++] = (struct range){points->at[i], point_last(points, i)};
    }
    return list;
}

/* Whether other iterations may usually have VALUE: call paths may not occur in them at all. */
static bool is_usual(const struct hunt *hunt, double value)
{
    return value > 0 || (hunt->look->of_path && value >= 0);
}

/* The mean of the points for which CHOSEN is true; 0 without any. */
static double mean_of(const struct hunt *hunt, const bool *chosen)
{
    double sum = 0, number = 0;
    for (size_t i = 0; i < hunt->count; i++)
        if (chosen[i]) {
            sum += hunt->look->points.values[i];
            number++;
        }
    return number > 0 ? sum / number : 0;
}

/* Most single iterations may have no sample: means are what is known. */
static void use_means(struct finding *finding, const struct hunt *hunt, const bool *on,
                      const bool *off)
{
    finding->value = mean_of(hunt, on);
    finding->usual = mean_of(hunt, off);
    finding->excess =
        fmax(finding->value - finding->usual, 0) * (double)finding->iteration_count;
}

/* Sets how much more than USUAL the points have for which ON is true, and the cause. */
static void describe(struct finding *finding, const struct hunt *hunt, const bool *on,
                     const bool *off)
{
    const struct points *points = &hunt->look->points;
    double *values = allocate(hunt->count, sizeof *values);
    double *usual = allocate(hunt->count, sizeof *usual);
    size_t count = 0;
    for (size_t i = 0; i < hunt->count; i++)
        if (on[i]) {
            values[count] = points->values[i];
            usual[count++] = points->values[i] - hunt->surplus[i];
            finding->excess += hunt->surplus[i];
            finding_add_range(finding, points->at[i], point_last(points, i));
        }
    finding->value = median_of(values, count);
    finding->usual = median_of(usual, count);
    if (hunt->look->sampled)
        use_means(finding, hunt, on, off);
    size_t on_count, off_count;
    struct range *these = list_points(points, on, MOST_EXPLAINED, &on_count);
    struct range *others = list_points(points, off, MOST_EXPLAINED * 2 * AROUND, &off_count);
    explain_iterations(finding, hunt->look, (struct iteration_list){these, on_count},
                       (struct iteration_list){others, off_count});
    free(these);
    free(others);
    free(values);
    free(usual);
}

/* Whether the difference between the classes of a period is large enough to be reported. */
static bool is_worth(const struct hunt *hunt, const double *medians, size_t period, double *low,
                     double *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (size_t c = 0; c < period; c++) {
        *low = fmin(*low, medians[c]);
        *high = fmax(*high, medians[c]);
    }
    /* Medians of call paths are of means: what noise leaves of those has been asked by then. */
    return is_usual(hunt, *low) && *high > *low && *high - *low >= FOLD_EFFECT * *low &&
           (hunt->look->of_path || *high - *low >= 3 * hunt->look->noise);
}

/* Sums of the iterations that are longer in a period, and of the others. */
struct contrast {
    double sums[2];
    double numbers[2];
};

static void contrast_add(struct contrast *contrast, bool on, double value)
{
    contrast->sums[on] += value;
    contrast->numbers[on]++;
}

static double contrast_of(const struct contrast *contrast)
{
    return contrast->sums[1] / contrast->numbers[1] - contrast->sums[0] / contrast->numbers[0];
}

/*
 * Whether the iterations for which ON is true differ from the others in nearly every period,
 * and not only in a part of the run.  Several short periods are taken together: of two
 * iterations, either may be the longer by chance.
 */
static bool is_held(const struct hunt *hunt, size_t period, const bool *on)
{
    struct contrast whole = {{0}, {0}}, once = {{0}, {0}};
    size_t times = 0, held = 0;
    for (size_t i = 0; i < hunt->count; i++)
        contrast_add(&whole, on[i], hunt->values[i]);
    const double least = FOLD_LEAST * contrast_of(&whole);
    const uint64_t least_periods = (FOLD_STRETCH - 1 + period) / period,
                   together = periods_together(hunt, period),
                   stretch = period * (together > least_periods ? together : least_periods);
    for (size_t i = 0; i < hunt->count; i++) {
        const uint64_t *at = hunt->look->points.at;
        contrast_add(&once, on[i], hunt->values[i]);
        if (i + 1 < hunt->count && at[i + 1] / stretch == at[i] / stretch)
            continue;
        if (once.numbers[0] > 0 && once.numbers[1] > 0) {
            times++;
            held += contrast_of(&once) >= least;
        }
        once = (struct contrast){{0}, {0}};
    }
    return (double)held >= FOLD_HELD * (double)times;
}

/* Whether iterations usually do without the call path: where most have it, and the others have
 * nothing, those are the ones that differ, and nothing could be gained. */
static bool is_rare(const struct hunt *hunt, const bool *on, double low)
{
    size_t count = 0;
    for (size_t i = 0; i < hunt->count; i++)
        count += on[i];
    return !hunt->look->of_path || low > 0 || 2 * count <= hunt->count;
}

/* Finds a period in which all iterations differ, reports it, and removes it from the values. */
static void hunt_fold(struct hunt *hunt)
{
    size_t period = hunt->look->points.group == 1 ? find_fold(hunt) : 0;
    double medians[MOST_FOLD], low, high;
    if (period == 0)
        return;
    class_medians(hunt, period, medians);
    if (!is_worth(hunt, medians, period, &low, &high))
        return;
    bool *on = allocate(hunt->count, sizeof *on), *off = allocate(hunt->count, sizeof *off);
    for (size_t i = 0; i < hunt->count; i++) {
        double more = medians[hunt->look->points.at[i] % period] - low;
        on[i] = more > (high - low) / 2;
        off[i] = !on[i];
        hunt->surplus[i] = more;
    }
    if (is_rare(hunt, on, low) && is_held(hunt, period, on)) {
        struct finding *finding = collection_add(hunt->collection, hunt->look, FINDING_PERIOD);
        finding->period = period;
        describe(finding, hunt, on, off);
        for (size_t i = 0; i < hunt->count; i++)
            hunt->values[i] -= hunt->surplus[i];
    }
    free(on);
    free(off);
}

/* What neighbouring iterations usually have, and by how much they differ. */
static void measure(struct hunt *hunt)
{
    double *work = allocate(hunt->count, sizeof *work);
    rolling_median(hunt->values, hunt->count, FINDING_NEIGHBOURS, hunt->base);
    for (size_t i = 0; i < hunt->count; i++)
        work[i] = hunt->surplus[i] = hunt->values[i] - hunt->base[i];
    sort_values(work, hunt->count);
    double middle = sorted_median(work, hunt->count);
    /* One-sided, for times are skewed; outliers may be as many as the last quarter. */
    double upper = (sorted_quantile(work, hunt->count, 0.75) - middle) / 0.6745;
    double spread = spread_about(work, hunt->count, middle);
    hunt->limit = WILD * fmax(fmax(upper, spread), hunt->look->noise);
    free(work);
}

static void mark_wild(struct hunt *hunt)
{
    hunt->wild_count = 0;
    for (size_t i = 0; i < hunt->count; i++) {
        hunt->wild[i] = is_usual(hunt, hunt->base[i]) && hunt->surplus[i] > hunt->limit &&
                        hunt->surplus[i] > WILD_SHARE * hunt->base[i];
        hunt->wild_count += hunt->wild[i];
    }
    if ((double)hunt->wild_count > MOST_OUTLIERS * (double)hunt->count) {
        memset(hunt->wild, 0, hunt->count * sizeof *hunt->wild);
        hunt->wild_count = 0;
    }
}

/* Marks in OFF the AROUND points that do not stand out and come next to I, in one direction. */
static void mark_usual(const struct hunt *hunt, size_t i, bool onwards, bool *off)
{
    size_t marked = 0;
    for (size_t step = 1; step <= 4 * (size_t)FINDING_NEIGHBOURS && marked < AROUND; step++) {
        if (onwards ? i + step >= hunt->count : step > i)
            break;
        const size_t n = onwards ? i + step : i - step;
        off[n] = off[n] || !hunt->wild[n];
        marked += !hunt->wild[n];
    }
}

/* The neighbours of the points in ON that do not stand out themselves; for the caller to
 * free(). */
static bool *neighbours_of(const struct hunt *hunt, const bool *on)
{
    bool *off = allocate(hunt->count, sizeof *off);
    size_t explained_count = 0;
    for (size_t i = 0; i < hunt->count && explained_count < MOST_EXPLAINED; i++) {
        if (!on[i])
            continue;
        explained_count++;
        mark_usual(hunt, i, false, off);
        mark_usual(hunt, i, true, off);
    }
    return off;
}

static void describe_wild(struct finding *finding, const struct hunt *hunt, const bool *on)
{
    bool *off = neighbours_of(hunt, on);
    describe(finding, hunt, on, off);
    free(off);
}

/* A regular distance among iterations that stand out. */
struct comb {
    uint64_t period, class, first, last;
    size_t teeth;
};

static int compare_numbers(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* The iterations of PLACES at PERIOD that are in the most frequent class; LEFT is scratch. */
static struct comb best_class(const uint64_t *places, size_t count, uint64_t period,
                              uint64_t *left)
{
    struct comb comb = {.period = period};
    size_t run = 0;
    for (size_t i = 0; i < count; i++)
        left[i] = places[i] % period;
    qsort(left, count, sizeof *left, compare_numbers);
    for (size_t i = 0; i < count; i++) {
        run = i > 0 && left[i] == left[i - 1] ? run + 1 : 1;
        if (run > comb.teeth) {
            comb.teeth = run;
            comb.class = left[i];
        }
    }
    bool begun = false;
    for (size_t i = 0; i < count; i++)
        if (places[i] % period == comb.class) {
            comb.first = begun ? comb.first : places[i];
            comb.last = places[i];
            begun = true;
        }
    return comb;
}

static bool is_comb(const struct comb *comb)
{
    uint64_t expected = (comb->last - comb->first) / comb->period + 1;
    return comb->teeth >= LEAST_TEETH &&
           (double)comb->teeth >= COMB_COVERAGE * (double)expected;
}

/* The most frequent distances between PLACES that are at most three apart in the list. */
static size_t frequent_distances(const uint64_t *places, size_t count,
                                 uint64_t distances[CANDIDATES])
{
    uint64_t *all = allocate(3 * count, sizeof *all);
    size_t numbers[CANDIDATES] = {0}, found = 0, total = 0, run = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && j <= i + 3; j++)
            all[total++] = places[j] - places[i];
    qsort(all, total, sizeof *all, compare_numbers);
    for (size_t i = 0; i < total; i++) {
        run++;
        if (i + 1 < total && all[i + 1] == all[i])
            continue;
        size_t place = found < CANDIDATES ? found++ : CANDIDATES - 1;
        if (place < CANDIDATES - 1 || numbers[place] < run) {
            for (; place > 0 && numbers[place - 1] < run; place--) {
                numbers[place] = numbers[place - 1];
                distances[place] = distances[place - 1];
            }
            numbers[place] = run;
            distances[place] = all[i];
        }
        run = 0;
    }
    free(all);
    return found;
}

/* Whether the iterations of COMB stand out from those between them: in a row of many that all
 * stand out, every distance is regular. */
static bool is_apart(const struct comb *comb, const uint64_t *places, size_t count)
{
    size_t others = 0;
    for (size_t i = 0; i < count; i++)
        others += places[i] >= comb->first && places[i] <= comb->last &&
                  places[i] % comb->period != comb->class;
    return (double)others <= COMB_APART * (double)comb->teeth * (double)(comb->period - 1);
}

/* In call paths much stands out by chance, and of many some are at regular distances: what is
 * must be most of it. */
static bool is_most(const struct hunt *hunt, const struct comb *comb)
{
    return !hunt->look->of_path || 2 * comb->teeth > hunt->wild_count;
}

/* The comb with most iterations that stand out; without teeth if there is none. */
static struct comb find_comb(const struct hunt *hunt)
{
    struct comb best = {0};
    uint64_t *places = allocate(hunt->wild_count, sizeof *places), distances[CANDIDATES];
    uint64_t *scratch = allocate(hunt->wild_count, sizeof *scratch);
    size_t count = 0;
    for (size_t i = 0; i < hunt->count; i++)
        if (hunt->wild[i])
            places[count++] = hunt->look->points.at[i];
    size_t candidates = frequent_distances(places, count, distances);
    for (size_t c = 0; c < candidates; c++) {
        struct comb comb = best_class(places, count, distances[c], scratch);
        if (distances[c] > 1 && is_comb(&comb) && comb.teeth > best.teeth &&
            is_apart(&comb, places, count) && is_most(hunt, &comb))
            best = comb;
    }
    free(scratch);
    free(places);
    return best;
}

/* Reports a comb, and sets its iterations to the usual value. */
static void tell_comb(struct hunt *hunt, const struct comb *comb)
{
    bool *on = allocate(hunt->count, sizeof *on);
    double *surplus = allocate(hunt->count, sizeof *surplus), *own = hunt->surplus;
    size_t count = 0;
    for (size_t i = 0; i < hunt->count; i++) {
        on[i] = hunt->wild[i] && hunt->look->points.at[i] % comb->period == comb->class;
        if (on[i])
            surplus[count++] = own[i];
    }
    double usual = median_of(surplus, count);
    for (size_t i = 0; i < hunt->count; i++)
        surplus[i] = on[i] ? fmin(own[i], usual) : 0;
    struct finding *finding = collection_add(hunt->collection, hunt->look, FINDING_PERIOD);
    finding->period = comb->period;
    hunt->surplus = surplus;
    describe_wild(finding, hunt, on);
    hunt->surplus = own;
    for (size_t i = 0; i < hunt->count; i++)
        hunt->values[i] -= surplus[i];
    free(surplus);
    free(on);
}

/* A cause, by which single iterations are told apart: a rank, or none. */
static uint32_t group_of(const struct finding *finding)
{
    return finding->rank_count == 1 ? finding->ranks[0] : SUMMARY_NONE;
}

/* The point with the largest surplus that stands out and is not in DONE; the number of points
 * if there is none. */
static size_t largest_wild(const struct hunt *hunt, const bool *done)
{
    size_t largest = hunt->count;
    for (size_t i = 0; i < hunt->count; i++)
        if (hunt->wild[i] && !done[i] &&
            (largest == hunt->count || hunt->surplus[i] > hunt->surplus[largest]))
            largest = i;
    return largest;
}

/*
 * Point I and those before and after it that stand out as well and by about as much: one thing
 * that takes several iterations, of which each alone may have too few samples to tell its
 * cause. From *FIRST to before *END.
 */
static void find_row(const struct hunt *hunt, const bool *done, size_t i, size_t *first,
                     size_t *end)
{
    const double least = ROW * hunt->surplus[i];
    *first = i;
    *end = i + 1;
    while (*first > 0 && hunt->wild[*first - 1] && !done[*first - 1] &&
           hunt->surplus[*first - 1] >= least)
        --*first;
    while (*end < hunt->count && hunt->wild[*end] && !done[*end] &&
           hunt->surplus[*end] >= least)
        ++*end;
}

/* The finding for points FIRST to before END alone; end with finding_clear.  ON is scratch. */
static struct finding single_of(const struct hunt *hunt, size_t first, size_t end, bool *on)
{
    struct collection alone = {0};
    struct finding *finding = collection_add(&alone, hunt->look, FINDING_SLOW_ITERATIONS);
    memset(on + first, true, end - first);
    describe_wild(finding, hunt, on);
    memset(on + first, false, end - first);
    struct finding single = *finding;
    free(alone.list);
    return single;
}

static bool has_same_cause(const struct finding *a, const struct finding *b)
{
    return group_of(a) == group_of(b) && a->cause.metric == b->cause.metric &&
           a->cause.path == b->cause.path;
}

/*
 * Reports the iterations that stand out but are not periodic, grouped by cause.  The causes of
 * the largest ones are found first; all that remain form the last group.
 */
static void tell_singles(struct hunt *hunt)
{
    struct finding heads[MOST_GROUPS];
    size_t count = 0, group_count = 0, tried = 0;
    uint8_t *group = allocate(hunt->count, sizeof *group);
    bool *done = allocate(hunt->count, sizeof *done), *on = allocate(hunt->count, sizeof *on);
    for (size_t i; tried < 2 * MOST_GROUPS && (i = largest_wild(hunt, done)) < hunt->count;
         tried++) {
        size_t g = 0, first, end;
        find_row(hunt, done, i, &first, &end);
        struct finding single = single_of(hunt, first, end, on);
        while (g < count && !has_same_cause(&heads[g], &single))
            g++;
        memset(done + first, true, end - first);
        if (g == count && count < MOST_GROUPS)
            heads[count++] = single;
        else
            finding_clear(&single);
        memset(group + first, (int)(g < MOST_GROUPS ? g : MOST_GROUPS - 1), end - first);
    }
    for (size_t i = 0; i < hunt->count; i++)
        if (hunt->wild[i] && !done[i])
            group[i] = (uint8_t)(count - 1);
    for (; group_count < count; group_count++) {
        for (size_t i = 0; i < hunt->count; i++)
            on[i] = hunt->wild[i] && group[i] == group_count;
        describe_wild(collection_add(hunt->collection, hunt->look, FINDING_SLOW_ITERATIONS),
                      hunt, on);
        finding_clear(&heads[group_count]);
    }
    free(group);
    free(done);
    free(on);
}

static void hunt_wild(struct hunt *hunt)
{
    for (size_t combs = 0; combs <= MOST_COMBS; combs++) {
        measure(hunt);
        mark_wild(hunt);
        if (hunt->wild_count == 0)
            return;
        struct comb comb = {0};
        if (hunt->look->points.group == 1 && combs < MOST_COMBS)
            comb = find_comb(hunt);
        if (comb.teeth == 0)
            break;
        tell_comb(hunt, &comb);
    }
    if (!hunt->look->of_path)
        tell_singles(hunt);
}

void find_outliers(struct collection *collection, const struct look *look)
{
    size_t count = look->points.count;
    struct hunt hunt = {
        .look = look, .collection = collection, .count = count, .values = look->rest};
    if (count < LOOK_LEAST_ITERATIONS)
        return;
    hunt.base = allocate(count, sizeof *hunt.base);
    hunt.surplus = allocate(count, sizeof *hunt.surplus);
    hunt.wild = allocate(count, sizeof *hunt.wild);
    hunt_fold(&hunt);
    hunt_wild(&hunt);
    free(hunt.base);
    free(hunt.surplus);
    free(hunt.wild);
}
