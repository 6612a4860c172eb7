/* See cells.h. */
#include "compress/cells.h"

#include <math.h>
#include <string.h>

enum { CELLS_IN_PAGE = 32, LARGEST_IN_PAGE = 64, FIRST_PAGES = 16 };

/* Cells between two pauses: each takes some 60 instructions. */
enum { CELLS_AT_ONCE = 64 };

/* Most profiles have at least so many cells that are not zero in each page that they touch. */
enum { CELLS_USED_IN_PAGE = 4 };

/* In place of the metric of a cell: it is not compared, nor is its largest value kept. */
#define ONLY_SUMMED  UINT32_MAX
#define NOT_COMPARED (UINT32_MAX - 1)

struct cell {
    double sum, squares; /* 0 of cells that are ONLY_SUMMED */
    uint32_t metric;     /* plus one; 0: not met yet; or one of the above */
    uint32_t largest;    /* number of its largest value plus one; 0: not kept */
};

double variance_of(double iterations, double sum, double squares)
{
    double mean = sum / iterations, square = squares / iterations;
    double variance = square - mean * mean;
    return variance > CELLS_ROUNDING * square ? variance : 0;
}

static bool grow(struct pages *pages, struct account *account, uint32_t number)
{
    uint32_t count = pages->count ? pages->count : FIRST_PAGES;
    while (count <= number)
        count *= 2;
    void **larger = account_take(account, count * sizeof(*larger));
    if (!larger)
        return false;
    memset(larger, 0, count * sizeof(*larger));
    if (pages->count > 0)
        memcpy(larger, pages->page, pages->count * sizeof(*larger));
    account_give_back(account, pages->page, pages->count * sizeof(*larger));
    *pages = (struct pages){larger, count};
    return true;
}

/*
 * The page with NUMBER of PAGES, of BYTES, made if there is none; NULL if out of memory or at
 * the bound.
 */
static void *make_page(struct cells *cells, struct pages *pages, struct account *account,
                       uint32_t number, size_t bytes)
{
    if (number < pages->count && pages->page[number])
        return pages->page[number];
    if ((cells->bound > 0 && cells->held + bytes > cells->bound) ||
        (number >= pages->count && !grow(pages, account, number)))
        return NULL;
    void *page = account_take(account, bytes);
    if (!page)
        return NULL;
    cells->held += bytes;
    memset(page, 0, bytes);
    return pages->page[number] = page;
}

static void clear(struct pages *pages, struct account *account, size_t bytes)
{
    for (uint32_t i = 0; i < pages->count; i++)
        account_give_back(account, pages->page[i], bytes);
    account_give_back(account, pages->page, pages->count * sizeof(*pages->page));
    *pages = (struct pages){NULL, 0};
}

static struct cell_largest *largest_at(const struct cells *cells, uint32_t at)
{
    struct cell_largest *page = cells->largest.page[at / LARGEST_IN_PAGE];
    return &page[at % LARGEST_IN_PAGE];
}

/* Begins to keep the largest value of CELL, which has number NUMBER. */
static void keep_largest(struct cells *cells, struct account *account, struct cell *cell,
                         uint32_t number)
{
    uint32_t at = cells->largest_count;
    if (!make_page(cells, &cells->largest, account, at / LARGEST_IN_PAGE,
                   LARGEST_IN_PAGE * sizeof(struct cell_largest))) {
        cells->incomplete = true;
        return;
    }
    cell->largest = ++cells->largest_count;
    *largest_at(cells, at) = (struct cell_largest){.cell = number};
}

static void meet(struct cells *cells, struct account *account, struct cell *cell,
                 uint32_t number)
{
    struct cell_role role = cells->role(cells->role_context, number);
    if (role.largest)
        keep_largest(cells, account, cell, number);
    cell->metric = role.compared       ? role.metric + 1
                   : cell->largest > 0 ? NOT_COMPARED
                                       : ONLY_SUMMED;
}

static void add_value(struct cells *cells, struct cell *cell, int64_t value, uint32_t iteration)
{
    const double amount = (double)value;
    cell->sum += amount;
    cell->squares += amount * amount;
    if (cell->metric < NOT_COMPARED) {
        double *top = &cells->tops[cell->metric - 1];
        *top = fabs(amount) > *top ? fabs(amount) : *top;
        cells->occurred[cell->metric - 1]++;
    }
    if (cell->largest == 0)
        return;
    struct cell_largest *largest = largest_at(cells, cell->largest - 1);
    if (value > largest->value) {
        largest->value = value;
        largest->iteration = iteration;
    }
}

size_t cells_bytes_for(size_t bound, size_t count)
{
    const size_t page = CELLS_IN_PAGE * sizeof(struct cell);
    const size_t met =
        (count / CELLS_USED_IN_PAGE + 1) * page +
        (count / LARGEST_IN_PAGE + 1) * LARGEST_IN_PAGE * sizeof(struct cell_largest);
    const size_t pages = bound > 0 && bound < met ? bound : met;
    /* Directories double, and the one before is given back afterwards. */
    return pages + 4 * (pages / page + FIRST_PAGES) * sizeof(void *);
}

/* The page with NUMBER of the known cells, made if there is none; NULL if it cannot be had. */
static struct cell *known_page(struct cells *cells, struct account *account, uint32_t number)
{
    struct cell *page = number < cells->known.count ? cells->known.page[number] : NULL;
    return page ? page
                : make_page(cells, &cells->known, account, number,
                            CELLS_IN_PAGE * sizeof(*page));
}

/*
 * Adds the cells of PROFILE from number FROM on that are in PAGE, the one with NUMBER, and
 * returns the number of the first one that is not.
 */
static size_t add_to_page(struct cells *cells, struct account *account, struct cell *page,
                          uint32_t number, const struct iteration_profile *profile, size_t from,
                          uint32_t iteration)
{
    const uint32_t first = number * CELLS_IN_PAGE;
    size_t i = from;
    for (; i < profile->cell_count && profile->cells[i] - first < CELLS_IN_PAGE; i++) {
        struct cell *cell = &page[profile->cells[i] - first];
        if (cell->metric == ONLY_SUMMED)
            continue;
        if (cell->metric == 0)
            meet(cells, account, cell, profile->cells[i]);
        if (cell->metric != ONLY_SUMMED)
            add_value(cells, cell, profile->values[i], iteration);
    }
    return i;
}

void cells_add(struct cells *cells, struct account *account,
               const struct iteration_profile *profile, uint32_t iteration)
{
    size_t paused = 0;
    for (size_t i = 0; i < profile->cell_count;) {
        if (i - paused >= CELLS_AT_ONCE) {
            account_pause(account);
            paused = i;
        }
        const uint32_t number = profile->cells[i] / CELLS_IN_PAGE;
        struct cell *page = known_page(cells, account, number);
        if (page) {
            i = add_to_page(cells, account, page, number, profile, i, iteration);
            continue;
        }
        cells->incomplete = true;
        while (i < profile->cell_count && profile->cells[i] / CELLS_IN_PAGE == number)
            i++;
    }
}

void cells_each(const struct cells *cells, double iterations, uint32_t from, uint32_t to,
                void (*see)(void *context, const struct cell_variance *cell), void *context)
{
    for (uint32_t page = from; page < to; page++) {
        const struct cell *cell = cells->known.page[page];
        for (uint32_t i = 0; cell && i < CELLS_IN_PAGE; i++) {
            if (cell[i].metric == 0 || cell[i].metric >= NOT_COMPARED)
                continue;
            double variance = variance_of(iterations, cell[i].sum, cell[i].squares);
            if (variance > 0)
                see(context, &(struct cell_variance){page * CELLS_IN_PAGE + i,
                                                     cell[i].metric - 1, variance});
        }
    }
}

/* What is known of the cell with NUMBER, or NULL. */
static const struct cell *cell_at(const struct cells *cells, uint32_t number)
{
    const uint32_t page = number / CELLS_IN_PAGE;
    const struct cell *first = page < cells->known.count ? cells->known.page[page] : NULL;
    return first ? first + number % CELLS_IN_PAGE : NULL;
}

double cells_scale(const struct cells *cells, double iterations, uint32_t metric)
{
    return cells->tops[metric] * sqrt(cells->occurred[metric] / iterations);
}

double cells_variance(const struct cells *cells, double iterations, uint32_t number)
{
    const struct cell *cell = cell_at(cells, number);
    return cell ? variance_of(iterations, cell->sum, cell->squares) : 0;
}

double cells_squares(const struct cells *cells, uint32_t number)
{
    const struct cell *cell = cell_at(cells, number);
    return cell ? cell->squares : 0;
}

const struct cell_largest *cells_largest(const struct cells *cells, uint32_t at)
{
    return largest_at(cells, at);
}

void cells_clear(struct cells *cells, struct account *account)
{
    clear(&cells->known, account, CELLS_IN_PAGE * sizeof(struct cell));
    clear(&cells->largest, account, LARGEST_IN_PAGE * sizeof(struct cell_largest));
    cells->largest_count = 0;
    cells->held = 0;
}
