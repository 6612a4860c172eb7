/*
 * Balancing: every thread takes the mean of all in each step (paper, section 3.2).  A step is
 * an iteration, or outside of iterations the Nth time that a thread comes there.  See graph.h.
 */
#include "whatif/graph.h"

#include <stdlib.h>
#include <string.h>

/* What each thread has in each step: rows of steps, first the iterations, then the others. */
struct shares {
    const struct whatif *graph;
    struct whatif_changes *changes;
    const bool *paths;
    double *amounts;
    size_t rows, lanes;
    bool failed;
};

/* Something of a thread that is on the paths: a segment of the computation before CALL, or, if
 * there is none (SEGMENT is WHATIF_NONE), CALL itself. */
struct piece {
    uint32_t call, segment;
    size_t row, lane;
};
typedef void piece_visitor(struct shares *shares, const struct piece *piece);

/* Where a thread is: how often it has come to the paths so far. */
struct coming {
    bool is_there;
    size_t times;
};

static void visit_piece(struct shares *shares, struct coming *coming, uint32_t path,
                        struct piece piece, piece_visitor *visit)
{
    const bool is_there = path != WHATIF_NONE && shares->paths[path];
    coming->times += is_there && !coming->is_there;
    coming->is_there = is_there;
    if (!is_there)
        return;
    const uint32_t instance = shares->graph->result.paths[path].instance;
    piece.row =
        instance != REPLAY_NONE ? instance : shares->graph->instance_count + coming->times - 1;
    visit(shares, &piece);
}

static void visit_thread(struct shares *shares, const struct graph_thread *thread,
                         piece_visitor *visit)
{
    const struct whatif *graph = shares->graph;
    struct coming coming = {false, 0};
    for (uint32_t i = thread->first_call; i < thread->first_call + thread->call_count; i++) {
        for (uint32_t j = graph->calls[i].first_segment; j < graph->calls[i + 1].first_segment;
             j++)
            visit_piece(shares, &coming, graph->segments[j].path,
                        (struct piece){.call = i, .segment = j, .lane = thread->lane}, visit);
        visit_piece(shares, &coming, graph->calls[i].path,
                    (struct piece){.call = i, .segment = WHATIF_NONE, .lane = thread->lane},
                    visit);
    }
}

static void visit_all(struct shares *shares, piece_visitor *visit)
{
    for (uint32_t i = 0; i < shares->graph->world->thread_count; i++)
        if (shares->graph->threads[i].call_count > 0)
            visit_thread(shares, &shares->graph->threads[i], visit);
}

static double *share_of(struct shares *shares, const struct piece *piece)
{
    if (piece->row >= shares->rows) {
        const size_t rows = 2 * piece->row + 16;
        double *grown = realloc(shares->amounts, rows * shares->lanes * sizeof *grown);
        if (!grown) {
            shares->failed = true;
            return NULL;
        }
        memset(grown + shares->rows * shares->lanes, 0,
               (rows - shares->rows) * shares->lanes * sizeof *grown);
        shares->amounts = grown;
        shares->rows = rows;
    }
    return &shares->amounts[piece->row * shares->lanes + piece->lane];
}

static void add(struct shares *shares, const struct piece *piece, double amount)
{
    double *share = share_of(shares, piece);
    if (share)
        *share += amount;
}

static void add_work(struct shares *shares, const struct piece *piece)
{
    if (piece->segment != WHATIF_NONE)
        add(shares, piece,
            (double)shares->graph->segments[piece->segment].ns *
                (double)shares->changes->factors[piece->segment]);
}

/* The messages that begin in a call. */
static void visit_messages(struct shares *shares, const struct piece *piece,
                           void (*visit)(struct shares *shares, const struct piece *piece,
                                         uint64_t *bytes))
{
    const struct whatif *graph = shares->graph;
    if (piece->segment != WHATIF_NONE)
        return;
    for (uint32_t i = graph->calls[piece->call].first_need;
         i < graph->calls[piece->call + 1].first_need; i++)
        if (graph->needs[i].kind == NEED_START)
            visit(shares, piece, &shares->changes->bytes[graph->needs[i].number]);
}

static void add_message(struct shares *shares, const struct piece *piece, uint64_t *bytes)
{
    add(shares, piece, (double)*bytes);
}

static void add_bytes(struct shares *shares, const struct piece *piece)
{
    visit_messages(shares, piece, add_message);
}

/* What is there becomes what it has to be multiplied by.  Returns the number of steps. */
static size_t make_factors(struct shares *shares)
{
    size_t steps = 0;
    for (size_t row = 0; row < shares->rows; row++) {
        double *amounts = &shares->amounts[row * shares->lanes], total = 0;
        size_t there = 0;
        for (size_t i = 0; i < shares->lanes; i++) {
            total += amounts[i];
            there += amounts[i] > 0;
        }
        steps += there > 1;
        for (size_t i = 0; i < shares->lanes; i++)
            if (amounts[i] > 0)
                amounts[i] = total / (double)there / amounts[i];
    }
    return steps;
}

static void balance_work(struct shares *shares, const struct piece *piece)
{
    if (piece->segment == WHATIF_NONE)
        return;
    const float factor = (float)*share_of(shares, piece);
    if (factor > 0 && factor != 1) {
        shares->changes->factors[piece->segment] *= factor;
        changes_touch(shares->changes, piece->call);
    }
}

static void balance_message(struct shares *shares, const struct piece *piece, uint64_t *bytes)
{
    const double factor = *share_of(shares, piece);
    if (factor > 0 && factor != 1) {
        *bytes = (uint64_t)((double)*bytes * factor + 0.5);
        shares->changes->is_reordered = true;
        changes_touch(shares->changes, piece->call);
    }
}

static void balance_bytes(struct shares *shares, const struct piece *piece)
{
    visit_messages(shares, piece, balance_message);
}

static size_t balance(struct whatif_changes *changes, const bool *paths, piece_visitor *sum,
                      piece_visitor *apply, bool *good)
{
    struct shares shares = {.graph = changes->graph,
                            .changes = changes,
                            .paths = paths,
                            .lanes = changes->graph->facts.threads};
    visit_all(&shares, sum);
    *good = !shares.failed;
    const size_t steps = *good ? make_factors(&shares) : 0;
    if (steps > 0)
        visit_all(&shares, apply);
    free(shares.amounts);
    return steps;
}

size_t whatif_balance(struct whatif_changes *changes, const bool *paths, bool *good)
{
    return balance(changes, paths, add_work, balance_work, good);
}

size_t whatif_balance_bytes(struct whatif_changes *changes, const bool *paths, bool *good)
{
    return balance(changes, paths, add_bytes, balance_bytes, good);
}
