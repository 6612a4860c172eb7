/* See cells.h. */
#include "compress/cells.h"

#include <math.h>
#include <string.h>

enum { CELLS_IN_PAGE = 32, LARGEST_IN_PAGE = 64, FIRST_PAGES = 16 };

/* Most profiles have at least so many cells that are not zero in each page that they touch. */
enum { CELLS_USED_IN_PAGE = 4 };

struct cell {
    double sum, squares;
    uint32_t metric;  /* plus one; 0: not met yet; UINT32_MAX: not compared */
    uint32_t largest; /* number of its largest value plus one; 0: not kept */
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
    cell->metric = role.compared ? role.metric + 1 : UINT32_MAX;
    if (role.largest)
        keep_largest(cells, account, cell, number);
}

static void add_value(struct cells *cells, struct cell *cell, int64_t value, uint32_t iteration)
{
    const double amount = (double)value;
    cell->sum += amount;
    cell->squares += amount * amount;
    if (cell->metric != UINT32_MAX && fabs(amount) > cells->tops[cell->metric - 1])
        cells->tops[cell->metric - 1] = fabs(amount);
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

void cells_add(struct cells *cells, struct account *account,
               const struct iteration_profile *profile, uint32_t iteration)
{
    struct cell *page = NULL;
    uint32_t at = UINT32_MAX; /* the number of the page */
    for (size_t i = 0; i < profile->cell_count; i++) {
        const uint32_t number = profile->cells[i];
        if (number / CELLS_IN_PAGE != at) {
            at = number / CELLS_IN_PAGE;
            page = known_page(cells, account, at);
        }
        if (!page) {
            cells->incomplete = true;
            continue;
        }
        struct cell *cell = &page[number % CELLS_IN_PAGE];
        if (cell->metric == 0)
            meet(cells, account, cell, number);
        add_value(cells, cell, profile->values[i], iteration);
    }
}

void cells_each(const struct cells *cells, double iterations, uint32_t from, uint32_t to,
                void (*see)(void *context, const struct cell_variance *cell), void *context)
{
    for (uint32_t page = from; page < to; page++) {
        const struct cell *cell = cells->known.page[page];
        for (uint32_t i = 0; cell && i < CELLS_IN_PAGE; i++) {
            if (cell[i].metric == 0 || cell[i].metric == UINT32_MAX)
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
