/* The time between two calls of MPI is divided as samples say. */
#include "waits/gaps.h"

#include "base/base.h"
#include "tap.h"

#include <string.h>

/* What a row does not say is 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum region { MAIN, STEP, LOOP, WORK, REST, HALO, MPI_A, MPI_B, ROOT, REGIONS };

static struct trace_region regions[REGIONS] = {
    [STEP] = {.is_phase = true},
    [LOOP] = {.is_phase = true},
    [MPI_A] = {.is_mpi = true},
    [MPI_B] = {.is_mpi = true},
};

/* The call tree that samples are in; LOOP, which was found, is not. */
enum context {
    AT_ROOT,
    AT_MAIN,
    AT_STEP,
    AT_WORK,
    AT_REST,
    AT_HALO,
    AT_HALO_WORK,
    AT_MPI,
    ELSEWHERE
};

static struct trace_context contexts[] = {
    [AT_ROOT] = {ROOT, TRACE_NONE},   [AT_MAIN] = {MAIN, AT_ROOT},
    [AT_STEP] = {STEP, AT_MAIN},      [AT_WORK] = {WORK, AT_STEP},
    [AT_REST] = {REST, AT_STEP},      [AT_HALO] = {HALO, AT_STEP},
    [AT_HALO_WORK] = {WORK, AT_HALO}, [AT_MPI] = {MPI_A, AT_STEP},
    [ELSEWHERE] = {WORK, AT_ROOT},
};

static struct trace_thread threads[2];

static const struct trace trace = {.regions = regions,
                                   .region_count = REGIONS,
                                   .contexts = contexts,
                                   .context_count = sizeof contexts / sizeof *contexts,
                                   .threads = threads,
                                   .thread_count = 2,
                                   .is_of_tsprof = true};

/* What the engine would be told, a line each. */
struct told {
    struct text_line {
        char text[64];
    } lines[256];
    size_t count;
    uint64_t since_ns[2];
    uint64_t samples, visits;
    /* By thread and innermost function; ROOT: none below those that are open. */
    uint64_t spent_ns[2][REGIONS];
};

static void note(struct told *told, uint32_t thread, char what, uint32_t region, uint64_t ns)
{
    if (told->count < sizeof told->lines / sizeof *told->lines)
        snprintf(told->lines[told->count++].text, sizeof told->lines[0].text, "%u %c%u %ju",
                 thread, what, region, (uintmax_t)ns);
    told->since_ns[thread] = ns;
}

static void take_event(void *context, const struct trace_event *event)
{
    struct told *told = context;
    if (event->kind == TRACE_ENTER || event->kind == TRACE_LEAVE)
        note(told, event->thread, event->kind == TRACE_ENTER ? '+' : '-', event->region,
             event->time_ns);
}

static void take_stay(void *context, const struct trace_event *event,
                      const struct replay_stay *seen)
{
    struct told *told = context;
    const uint32_t region = seen->region_count ? seen->regions[seen->region_count - 1] : ROOT;
    OK(event->kind == TRACE_LEAVE || event->kind == TRACE_ENTER, "told with an event");
    told->spent_ns[seen->thread][region] += seen->until_ns - told->since_ns[seen->thread];
    told->samples += seen->samples;
    told->visits += seen->visit_count;
    note(told, seen->thread, '=', region, seen->until_ns);
}

/* An event of one line: what happens ('+', '-', '?' for a sample, '0' for off). */
struct row {
    char what;
    uint32_t item; /* region or context */
    uint64_t ns;
    uint32_t thread;
};

static void each(struct gaps *gaps, const struct row *rows, size_t count,
                 const struct gaps_receiver *receiver)
{
    for (size_t i = 0; i < count; i++) {
        const struct trace_event event = {.kind = rows[i].what == '+'   ? TRACE_ENTER
                                                  : rows[i].what == '-' ? TRACE_LEAVE
                                                  : rows[i].what == '?' ? TRACE_SAMPLE
                                                                        : TRACE_OFF,
                                          .thread = rows[i].thread,
                                          .time_ns = rows[i].ns,
                                          .region = rows[i].item,
                                          .context = rows[i].item};
        if (receiver)
            gaps_take(gaps, &event, receiver);
        else
            gaps_learn(gaps, &event);
    }
}

static struct told run(const struct row *rows, size_t count)
{
    struct told told = {.count = 0};
    const struct gaps_receiver receiver = {take_event, take_stay, &told};
    struct gaps *gaps = gaps_create(&trace);
    each(gaps, rows, count, NULL);
    gaps_learnt(gaps);
    each(gaps, rows, count, &receiver);
    gaps_end(gaps, &receiver);
    gaps_free(gaps);
    return told;
}

#define RUN(rows) run(rows, sizeof(rows) / sizeof *(rows))

static bool was_told(const struct told *told, const char *line)
{
    for (size_t i = 0; i < told->count; i++)
        if (strcmp(told->lines[i].text, line) == 0)
            return true;
    return false;
}

/* A gap of 600 with four samples, which are all that there are. */
static void test_own(void)
{
    static const struct row rows[] = {
        {'+', MAIN, 0},      {'+', STEP, 0},      {'+', MPI_A, 0},     {'-', MPI_A, 100},
        {'?', AT_WORK, 200}, {'?', AT_WORK, 300}, {'?', AT_WORK, 400}, {'?', AT_REST, 650},
        {'+', MPI_B, 700},   {'-', MPI_B, 800},   {'-', STEP, 800}};
    const struct told told = RUN(rows);
    EQ_INT(told.spent_ns[0][WORK], 450, "three of four samples are three quarters of the gap");
    EQ_INT(told.spent_ns[0][REST], 150, "and one the rest");
    OK(was_told(&told, "0 =3 550") && was_told(&told, "0 =4 700"), "in their order");
    EQ_INT(told.samples, 4, "all samples are told of");
    EQ_INT(told.visits, 2, "both functions were visited, the step is open all the time");
}

/* Ten gaps of 50 between the same calls, one of which has a sample. */
static void test_common(void)
{
    struct row rows[64] = {{'+', MAIN, 0}, {'+', STEP, 0}};
    size_t count = 2;
    for (uint64_t i = 0; i < 11; i++) {
        rows[count++] = (struct row){'+', MPI_A, 100 * i};
        rows[count++] = (struct row){'-', MPI_A, 100 * i + 50};
        if (i == 3)
            rows[count++] = (struct row){'?', AT_WORK, 100 * i + 60};
    }
    const struct told told = run(rows, count);
    EQ_INT(told.spent_ns[0][WORK], 500, "gaps without a sample are like those with one");
    EQ_INT(told.samples, 1, "which is told of once");
}

/* Two gaps between the same calls, with two samples each, in different functions. */
static void test_both(void)
{
    static const struct row rows[] = {
        {'+', MAIN, 0},      {'+', STEP, 0},      {'+', MPI_A, 0},   {'-', MPI_A, 0},
        {'?', AT_WORK, 10},  {'?', AT_WORK, 20},  {'+', MPI_A, 400}, {'-', MPI_A, 400},
        {'?', AT_REST, 410}, {'?', AT_REST, 420}, {'+', MPI_A, 800}};
    const struct told told = RUN(rows);
    OK(was_told(&told, "0 =3 300"), "a gap's own samples count beside those of all: 3 of 4");
    EQ_INT(told.spent_ns[0][WORK], 400, "both functions have the same in all");
    EQ_INT(told.spent_ns[0][REST], 400, "likewise");
}

/* What one thread does says nothing of another one. */
static void test_threads(void)
{
    static const struct row rows[] = {
        {'+', MAIN, 0, 0},     {'+', STEP, 0, 0},    {'+', MAIN, 0, 1},   {'+', STEP, 0, 1},
        {'+', MPI_A, 0, 0},    {'-', MPI_A, 0, 0},   {'+', MPI_A, 0, 1},  {'-', MPI_A, 0, 1},
        {'?', AT_WORK, 50, 0}, {'+', MPI_A, 100, 0}, {'+', MPI_A, 100, 1}};
    const struct told told = RUN(rows);
    EQ_INT(told.spent_ns[0][WORK], 100, "the gap of the thread with the sample");
    EQ_INT(told.spent_ns[1][WORK], 0, "not that of the other one");
}

/* A function that was left where it was last seen, and one that is entered later. */
static void test_functions(void)
{
    static const struct row rows[] = {
        {'+', MAIN, 0},    {'+', STEP, 0},           {'+', HALO, 0},    {'+', MPI_A, 0},
        {'-', MPI_A, 100}, {'?', AT_HALO_WORK, 200}, {'-', HALO, 200},  {'?', AT_WORK, 300},
        {'+', REST, 500},  {'+', MPI_B, 500},        {'-', MPI_B, 600}, {'-', REST, 600},
        {'-', STEP, 600}};
    const struct told told = RUN(rows);
    OK(was_told(&told, "0 -5 100"), "functions that the gap's end is not in are left first");
    OK(was_told(&told, "0 +4 500"), "those that its beginning is not in entered at its end");
    EQ_INT(told.spent_ns[0][WORK], 400, "samples below both divide all of the gap");
    OK(was_told(&told, "0 =3 300"), "also those in a function that was left");
}

/* Samples that cannot be in the gap. */
static void test_elsewhere(void)
{
    static const struct row rows[] = {
        {'+', MAIN, 0},    {'+', STEP, 0},        {'+', MPI_A, 0},    {'?', AT_WORK, 50},
        {'-', MPI_A, 100}, {'?', ELSEWHERE, 150}, {'?', AT_MPI, 160}, {'?', TRACE_NONE, 170},
        {'+', MPI_A, 200}, {'-', MPI_A, 300}};
    const struct told told = RUN(rows);
    EQ_INT(told.samples, 0, "samples in MPI, elsewhere and nowhere divide nothing");
    EQ_INT(told.spent_ns[0][WORK], 0, "and no time is theirs");
    EQ_INT(told.count, 6, "the events are told as they are");
}

/* The borders of phases end gaps; a loop that was found is on no sample's path. */
static void test_phases(void)
{
    static const struct row rows[] = {{'+', MAIN, 0},   {'+', STEP, 0},   {'+', LOOP, 0},
                                      {'+', MPI_A, 0},  {'-', MPI_A, 0},  {'?', AT_WORK, 50},
                                      {'-', LOOP, 100}, {'+', LOOP, 100}, {'?', AT_REST, 150},
                                      {'+', MPI_A, 200}};
    const struct told told = RUN(rows);
    EQ_INT(told.spent_ns[0][WORK], 100, "before the border");
    EQ_INT(told.spent_ns[0][REST], 100, "behind it");
    OK(was_told(&told, "0 -2 100") && was_told(&told, "0 +2 100"), "the border is told of");
}

/* Nothing is lost where recording pauses or ends. */
static void test_ends(void)
{
    static const struct row rows[] = {{'+', MAIN, 0},      {'+', STEP, 0},    {'+', HALO, 0},
                                      {'+', MPI_A, 0},     {'-', MPI_A, 0},   {'-', HALO, 0},
                                      {'?', AT_WORK, 50},  {'0', 0, 100},     {'+', MAIN, 500},
                                      {'+', STEP, 500},    {'+', MPI_A, 500}, {'-', MPI_A, 600},
                                      {'?', AT_REST, 650}, {'-', STEP, 700},  {'-', MAIN, 700}};
    const struct told told = RUN(rows);
    EQ_INT(told.spent_ns[0][WORK], 100, "a gap ends where recording pauses");
    EQ_INT(told.spent_ns[0][REST], 100, "or with the phase");
    OK(was_told(&told, "0 -0 700"), "what is left after the last gap is told of at the end");
}

/* All is left where recording pauses: that says nothing of the time before. */
static void test_left_at_the_end(void)
{
    static const struct row rows[] = {{'+', MAIN, 0},     {'+', STEP, 0},   {'+', HALO, 0},
                                      {'+', MPI_A, 0},    {'-', MPI_A, 0},  {'-', HALO, 50},
                                      {'?', AT_WORK, 60}, {'-', STEP, 100}, {'-', MAIN, 100},
                                      {'0', 0, 100}};
    const struct told told = RUN(rows);
    OK(was_told(&told, "0 -5 0"), "what was left before is left first");
    EQ_INT(told.spent_ns[0][WORK], 100, "what is left with the gap was open throughout");
    OK(was_told(&told, "0 -1 100") && was_told(&told, "0 -0 100"), "and is left then");
}

/* A function that is open at a border of the gap is told of when it is entered. */
static void test_visits(void)
{
    static const struct row rows[] = {
        {'+', MAIN, 0},     {'+', STEP, 0},          {'+', MPI_A, 0},    {'-', MPI_A, 10},
        {'?', AT_HALO, 20}, {'+', HALO, 50},         {'+', MPI_B, 50},   {'-', MPI_B, 60},
        {'-', HALO, 60},    {'?', AT_HALO_WORK, 70}, {'?', AT_HALO, 80}, {'+', MPI_A, 100}};
    const struct told told = RUN(rows);
    EQ_INT(told.samples, 3, "a function is seen before and after its call of MPI");
    EQ_INT(told.visits, 1, "only the one that it calls was not entered otherwise");
}

/* What follows the last call of MPI, where nothing ends it. */
static void test_last(void)
{
    static const struct row rows[] = {{'+', MAIN, 0},      {'+', STEP, 0},
                                      {'+', MPI_A, 0},     {'-', MPI_A, 100},
                                      {'?', AT_WORK, 150}, {'?', AT_WORK, 200}};
    const struct told told = RUN(rows);
    EQ_INT(told.spent_ns[0][WORK], 100, "samples tell of what is computed at the end, too");
}

/* MPI may call functions that call MPI: that is no computation. */
static void test_within_mpi(void)
{
    static const struct row rows[] = {
        {'+', MAIN, 0},    {'+', STEP, 0},      {'+', MPI_A, 0},    {'+', MPI_B, 100},
        {'-', MPI_B, 200}, {'?', AT_WORK, 250}, {'?', AT_MPI, 260}, {'+', MPI_B, 300},
        {'-', MPI_B, 400}, {'-', MPI_A, 500}};
    const struct told told = RUN(rows);
    EQ_INT(told.samples, 0, "time between calls that MPI makes is not divided");
}

/* A function that tells is where it says, whatever samples say; they divide the rest. */
static void test_told(void)
{
    static const struct row rows[] = {
        {'+', MAIN, 0},      {'+', STEP, 0},      {'+', MPI_A, 0},   {'-', MPI_A, 100},
        {'+', WORK, 200},    {'?', AT_WORK, 300}, {'-', WORK, 600},  {'?', AT_REST, 620},
        {'?', AT_REST, 640}, {'?', AT_REST, 660}, {'+', MPI_B, 700}, {'-', MPI_B, 800}};
    const struct told told = RUN(rows);
    OK(was_told(&told, "0 +3 200") && was_told(&told, "0 -3 600"),
       "it is entered and left then");
    EQ_INT(told.spent_ns[0][REST], 100, "another has what comes after it");
    EQ_INT(told.samples, 4, "no sample is lost");
}

/* One that tells and calls MPI, and one that it calls, which does not tell. */
static void test_told_around_mpi(void)
{
    static const struct row rows[] = {
        {'+', MAIN, 0},    {'+', STEP, 0},      {'+', MPI_A, 0},     {'-', MPI_A, 100},
        {'+', HALO, 200},  {'+', WORK, 300},    {'+', MPI_B, 300},   {'-', MPI_B, 400},
        {'-', WORK, 400},  {'-', HALO, 500},    {'?', AT_REST, 600}, {'+', MPI_A, 700},
        {'-', MPI_A, 800}, {'?', AT_WORK, 900}, {'+', MPI_B, 1000}};
    const struct told told = RUN(rows);
    OK(was_told(&told, "0 +5 200") && was_told(&told, "0 -5 500"), "the one that tells");
    OK(was_told(&told, "0 +3 300") && was_told(&told, "0 -3 400"),
       "the one that was seen there");
    EQ_INT(told.spent_ns[0][REST], 200, "what follows begins when it was left");
}

/* One that is inlined is entered and left at once. */
static void test_told_at_once(void)
{
    static const struct row rows[] = {{'+', MAIN, 0},      {'+', STEP, 0},   {'+', MPI_A, 0},
                                      {'-', MPI_A, 100},   {'+', WORK, 200}, {'-', WORK, 200},
                                      {'?', AT_REST, 300}, {'+', MPI_B, 500}};
    const struct told told = RUN(rows);
    OK(was_told(&told, "0 +3 200") && was_told(&told, "0 -3 200"), "it is told of");
    EQ_INT(told.spent_ns[0][REST], 300, "and ends what was before it");
}

static void test_applies(void)
{
    struct trace other = trace;
    OK(gaps_apply(&trace), "samples of tsprof divide gaps");
    other.is_of_tsprof = false;
    OK(!gaps_apply(&other), "functions of other archives are exact");
    other = trace;
    other.context_count = 0;
    OK(!gaps_apply(&other), "without call paths of samples there is nothing to divide");
}

int main(void)
{
    test_own();
    test_common();
    test_both();
    test_threads();
    test_functions();
    test_elsewhere();
    test_phases();
    test_ends();
    test_left_at_the_end();
    test_visits();
    test_last();
    test_within_mpi();
    test_told();
    test_told_around_mpi();
    test_told_at_once();
    test_applies();
    return tap_done();
}
