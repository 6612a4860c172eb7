/* See loop_code.h. */
#include "mainloop/loop_code.h"

#include "dwarf/dwarf.h"
#include "host/host.h"
#include "unwind/unwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

enum {
    TRIES = 16,
    BYTES_MOST = 4 << 20, /* most code that is ever read */
    QUESTION_STEPS = 400, /* that each answer takes, beside those counted */
    BYTE_STEPS = 5,       /* that reading a byte of code takes in most functions */
    SHARE = 2048,         /* of the time */
    KEPT_BACK = 8,        /* one part in so many is for ways through functions that were read */
    LAST_BLOCKS = 1 << 14 /* for functions that are read while another one is, in pieces */
};

/* The hash tables; large functions have many ways. */
static const struct nearby near_places = {LOOP_CODE_PLACES / 256, 256, 10},
                           near_ways = {LOOP_CODE_WAYS / 256, 256, 8},
                           near_functions = {LOOP_CODE_FUNCTIONS / 128, 128, 12},
                           near_counters = {LOOP_CODE_COUNTERS / 64, 64, 10};

/* What all answers have taken. */
static uint64_t steps_of(const struct loop_code *code)
{
    return code_steps(code->memory) + code_steps(code->piece_memory) +
           counter_steps(code->counter_memory) + code->questions * QUESTION_STEPS;
}

int64_t loop_code_spent_ns(const struct loop_code *code)
{
    const uint64_t steps = code_steps(code->memory) + code_steps(code->piece_memory),
                   counter_ps = counter_steps(code->counter_memory) * LOOP_CODE_COUNTER_PS;
    return (int64_t)(steps * LOOP_CODE_STEP_NS + counter_ps / 1000 +
                     code->questions * LOOP_CODE_QUESTION_NS);
}

/* How many of MOST steps are left for this call. */
static uint64_t steps_left(const struct loop_code *code, uint64_t most)
{
    const uint64_t taken = steps_of(code) - code->before_call;
    if (code->at_once)
        return UINT64_MAX;
    return taken < most ? most - taken : 0;
}

int64_t loop_code_allowed_ns(const struct loop_code *code, int64_t ns)
{
    return code->free_ns + ns / SHARE;
}

bool loop_code_has_time(const struct loop_code *code)
{
    return loop_code_spent_ns(code) <=
           loop_code_allowed_ns(code, clock_now_async() - code->begin_ns);
}

/* Finds the function around ADDRESS.  Returns false if it is unknown or too long. */
static bool find_code(uintptr_t address, struct frame_entry *entry)
{
    struct dl_find_object object;
    if (_dl_find_object((void *)address, &object) != 0)
        return false;
    const struct module_image module = {.low = (uintptr_t)object.dlfo_map_start,
                                        .high = (uintptr_t)object.dlfo_map_end,
                                        .header = object.dlfo_eh_frame};
    return ehframe_find_async(&module, address, entry) && entry->start <= address &&
           entry->end > address && entry->start >= module.low && entry->end <= module.high &&
           entry->end - entry->start <= CODE_BYTES_MOST;
}

/* The place of the function at START, or one where it can be kept; NULL: there is no room. */
static struct loop_code_function *find_place_of(struct loop_code *code, uintptr_t start)
{
    const size_t first = nearby_first(&near_functions, start, start);
    for (uint64_t i = 0; i < TRIES; i++) {
        struct loop_code_function *function =
            &code->functions[(first + i) % LOOP_CODE_FUNCTIONS];
        if (function->start == start || function->start == 0)
            return function;
    }
    return NULL;
}

/* Blocks that are neither in use nor kept for the function that is read in pieces. */
static uint32_t free_blocks(const struct loop_code *code)
{
    const uint32_t kept = code->reading ? LOOP_CODE_BLOCKS - LAST_BLOCKS : code->block_count;
    const uint32_t used = kept + code->last_blocks;
    return used < LOOP_CODE_BLOCKS ? LOOP_CODE_BLOCKS - used : 0;
}

/* Reads FUNCTION behind all blocks in use. */
static void read_first(struct loop_code *code, struct loop_code_function *function)
{
    function->first = code->block_count;
    function->count =
        code_read((const unsigned char *)function->start, function->bytes,
                  &code->blocks[function->first], free_blocks(code), code->memory);
    code->block_count += function->count;
}

/* The same at the end of all, while another one is being read. */
static void read_last(struct loop_code *code, struct loop_code_function *function)
{
    const uint32_t room = free_blocks(code),
                   most = function->bytes < room ? function->bytes : room,
                   end = LOOP_CODE_BLOCKS - code->last_blocks;
    struct code_block *blocks = &code->blocks[end - most];
    function->count = code_read((const unsigned char *)function->start, function->bytes, blocks,
                                most, code->memory);
    function->first = end - function->count;
    memmove(&code->blocks[function->first], blocks, function->count * sizeof *blocks);
    code->last_blocks += function->count;
}

static void go_on_reading(struct loop_code *code, uint64_t steps)
{
    uint32_t count;
    code->in_piece = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (code_read_go_on(code->piece_memory, steps, &count)) {
        code->reading->count = count;
        code->block_count += count;
        code->reading = NULL;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    code->in_piece = false;
}

/* Begins to read FUNCTION in pieces, if it has room then. */
static void read_in_pieces(struct loop_code *code, struct loop_code_function *function)
{
    const uint32_t room = free_blocks(code);
    function->first = code->block_count;
    if (room <= LAST_BLOCKS || !code_read_begin((const unsigned char *)function->start,
                                                function->bytes, &code->blocks[function->first],
                                                room - LAST_BLOCKS, code->piece_memory))
        return;
    code->reading = function;
    go_on_reading(code, steps_left(code, LOOP_CODE_PIECE_STEPS));
}

/* Whether a function of so many BYTES is read in pieces: it takes too long for being read now.
 */
static bool is_large(const struct loop_code *code, size_t bytes)
{
    const bool has_room = code->reading || free_blocks(code) > LAST_BLOCKS;
    if (code->at_once)
        return false;
    return bytes > LOOP_CODE_AT_ONCE_BYTES ||
           (has_room && steps_left(code, LOOP_CODE_STAY_STEPS) < bytes * BYTE_STEPS);
}

/* Reads the function that ENTRY describes, unless it is a piece of another, as FUNCTION. */
static void read_function(struct loop_code *code, const struct frame_entry *entry,
                          struct loop_code_function *function)
{
    const size_t bytes = entry->end - entry->start;
    *function = (struct loop_code_function){
        .start = entry->start, .bytes = (uint32_t)bytes, .is_piece = ehframe_is_piece(entry)};
    if (function->is_piece || code->bytes + bytes > BYTES_MOST)
        return;
    code->bytes += bytes;
    if (is_large(code, bytes))
        read_in_pieces(code, function);
    else if (code->reading)
        read_last(code, function);
    else
        read_first(code, function);
}

/*
 * The function around ADDRESS, which is read if it is not known yet; NULL: it is unknown, or it
 * is to be asked for again when the one that is being read has been, which `reading` tells.
 */
static const struct loop_code_function *find_function(struct loop_code *code, uintptr_t address)
{
    struct frame_entry entry;
    if (!find_code(address, &entry))
        return NULL;
    struct loop_code_function *function = find_place_of(code, entry.start);
    if (function && function->start == 0 &&
        !(code->reading && is_large(code, entry.end - entry.start)))
        read_function(code, &entry, function);
    return function && function->start ? function : NULL;
}

/* Whether the function around ADDRESS is being read, or waits for another that is. */
static bool is_awaited(struct loop_code *code, uintptr_t address)
{
    struct frame_entry entry;
    if (!code->reading || !find_code(address, &entry))
        return false;
    const struct loop_code_function *function = find_place_of(code, entry.start);
    return function && (function == code->reading || function->start == 0);
}

/* Where a jump of the program's has left a piece, its function cannot be understood, and no
 * counter has been found. */
static void drop_left_piece(struct loop_code *code)
{
    if (code->in_piece) {
        code->reading = NULL;
        code->counting = NULL;
    }
    code->in_piece = false;
}

bool loop_code_is_piece(struct loop_code *code, uintptr_t start)
{
    const struct loop_code_function *known = find_place_of(code, start);
    struct frame_entry entry;
    if (known && known->start == start)
        return known->is_piece;
    if (code->reading || !loop_code_has_time(code))
        return find_code(start, &entry) && ehframe_is_piece(&entry);
    code->questions++;
    known = find_function(code, start);
    return known && known->is_piece;
}

/* Whether the function around ADDRESS was read, or is known not to be readable. */
static bool is_read(struct loop_code *code, uintptr_t address)
{
    struct frame_entry entry;
    if (!find_code(address, &entry))
        return true;
    const struct loop_code_function *function = find_place_of(code, entry.start);
    return !function || function->start == entry.start;
}

/*
 * Whether there is time for an answer about the call at ADDRESS.  Part of the time is for
 * functions that were read: where ways through them are not known, passes of any loop may be
 * missed.
 */
static bool has_time_for(struct loop_code *code, uintptr_t address)
{
    const int64_t allowed_ns = loop_code_allowed_ns(code, clock_now_async() - code->begin_ns),
                  left_ns = allowed_ns - loop_code_spent_ns(code);
    return left_ns >= allowed_ns / KEPT_BACK || (left_ns >= 0 && is_read(code, address));
}

/* Lists the loops around the call at ADDRESS behind all others; returns how many, or -1. */
static int read_loops(struct loop_code *code, uintptr_t address)
{
    const struct loop_code_function *function = find_function(code, address);
    uint32_t entries[LOOPS_AROUND_MOST];
    if (!function || function->count == 0 ||
        code->loop_count + LOOPS_AROUND_MOST > LOOP_CODE_LOOPS)
        return -1;
    int count =
        code_loops_around(&code->blocks[function->first], function->count,
                          (uint32_t)(address - function->start), entries, LOOPS_AROUND_MOST);
    for (int i = 0; i < count; i++)
        code->loops[code->loop_count + (uint32_t)i] = function->start + entries[i];
    return count;
}

/* Forgets everything if a library has been unloaded: another may lie there now. */
static void look_at_epoch(struct loop_code *code)
{
    const uint64_t epoch = recipe_epoch_async();
    const bool is_empty = code->learning_ns == 0; /* memory that was never touched stays so */
    if (code->epoch == epoch)
        return;
    code->epoch = epoch;
    code->block_count = code->last_blocks = code->loop_count = code->known_count = 0;
    code->reading = NULL;
    code->counting = NULL;
    if (is_empty)
        return;
    memset(code->places, 0, sizeof code->places);
    memset(code->ways, 0, sizeof code->ways);
    memset(code->functions, 0, sizeof code->functions);
    memset(code->counters, 0, sizeof code->counters);
}

/* The place of what is known of the call at ADDRESS and the loop at ENTRY; NULL: no room. */
static struct loop_code_counter *place_of_counter(struct loop_code *code, uintptr_t address,
                                                  uintptr_t entry)
{
    const size_t begin = nearby_first(&near_counters, address, address ^ entry << 20);
    for (uint64_t i = 0; i < TRIES; i++) {
        struct loop_code_counter *place = &code->counters[(begin + i) % LOOP_CODE_COUNTERS];
        if (place->address == 0 || (place->address == address && place->entry == entry))
            return place;
    }
    return NULL;
}

/* FOUND is the counter that was looked for.  What the loop's first call has found is kept for
 * its entry. */
static void end_counting(struct loop_code *code, const struct code_counter *found)
{
    struct loop_code_counter *place = code->counting;
    const uintptr_t entry = place->entry;
    struct loop_code_counter *first = place_of_counter(code, entry, entry);
    code->counting = NULL;
    place->counter = *found;
    if (!first)
        place->counter.place.kind = PLACE_ELSEWHERE;
    else if (first->address == 0 && found->place.kind != PLACE_ELSEWHERE)
        *first =
            (struct loop_code_counter){.address = entry, .entry = entry, .counter = *found};
}

/* Looks for the counter that is looked for, for so many STEPS. */
static void go_on_counting(struct loop_code *code, uint64_t steps)
{
    struct code_counter found;
    code->in_piece = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (counter_go_on(code->counter_memory, steps, &found))
        end_counting(code, &found);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    code->in_piece = false;
}

/* Begins to look for the counter of the loop at ENTRY at the call at ADDRESS, in PLACE. */
static void begin_counting(struct loop_code *code, uintptr_t address, uintptr_t entry,
                           struct loop_code_counter *place)
{
    const struct loop_code_counter *first = place_of_counter(code, entry, entry);
    const struct code_counter *known = first && first->address ? &first->counter : NULL;
    const struct loop_code_function *function = find_function(code, address);
    *place = (struct loop_code_counter){
        .address = address, .entry = entry, .counter = {.place = {.kind = PLACE_ELSEWHERE}}};
    if (!function || function->count == 0 || entry - function->start >= function->bytes)
        return;
    const struct code_function read = {.code = (const unsigned char *)function->start,
                                       .bytes = function->bytes,
                                       .blocks = &code->blocks[function->first],
                                       .count = function->count};
    counter_begin(&read, (uint32_t)(entry - function->start),
                  (uint32_t)(address - function->start), known, code->counter_memory);
    code->counting = place;
    go_on_counting(code, steps_left(code, LOOP_CODE_COUNTER_STEPS));
}

const struct code_counter *loop_code_counter(struct loop_code *code, uintptr_t address,
                                             uintptr_t entry)
{
    static const struct code_counter none = {.place = {.kind = PLACE_ELSEWHERE}};
    look_at_epoch(code);
    struct loop_code_counter *place = place_of_counter(code, address, entry);
    if (!place)
        return &none;
    if (place->address == 0) {
        if (!loop_code_has_time(code))
            return &none;
        if (code->counting)
            return NULL;
        const int saved = errno;
        const int64_t begin = clock_now_async();
        code->questions++;
        begin_counting(code, address, entry, place);
        code->learning_ns += clock_now_async() - begin;
        errno = saved;
    }
    return place == code->counting ? NULL : &place->counter;
}

bool loop_code_go_on(struct loop_code *code)
{
    code->before_call = steps_of(code);
    if (!loop_code_is_busy(code))
        return false;
    drop_left_piece(code);
    look_at_epoch(code);
    const bool was_reading = code->reading;
    const int saved = errno;
    const int64_t begin = clock_now_async();
    if (code->reading)
        go_on_reading(code, LOOP_CODE_PIECE_STEPS);
    else if (code->counting)
        go_on_counting(code, LOOP_CODE_COUNTER_STEPS);
    code->learning_ns += clock_now_async() - begin;
    errno = saved;
    return was_reading && !code->reading;
}

void loop_code_read_at_once(struct loop_code *code, bool at_once)
{
    drop_left_piece(code);
    look_at_epoch(code);
    code->at_once = at_once;
    if (at_once && code->reading)
        go_on_reading(code, UINT64_MAX);
    if (at_once && code->counting)
        go_on_counting(code, UINT64_MAX);
}

/*
 * The place that remembers the call at ADDRESS, or else the one where it is to be remembered.
 */
static struct loop_code_place *find_place(struct loop_code *code, uintptr_t address)
{
    const size_t first = nearby_first(&near_places, address, address);
    struct loop_code_place *place = &code->places[first];
    for (uint64_t i = 1; i < TRIES && place->address && place->address != address; i++)
        place = &code->places[(first + i) % LOOP_CODE_PLACES];
    return place;
}

/*
 * The remembered answer for the call at ADDRESS, which is found if it is not known yet; NULL if
 * there is no time for that.
 */
static const struct loop_code_place *ask_place(struct loop_code *code, uintptr_t address)
{
    struct loop_code_place *place = find_place(code, address);
    if (place->address != address) {
        if (!has_time_for(code, address))
            return NULL;
        const int saved = errno;
        const int64_t begin = clock_now_async();
        code->questions++;
        const int count = read_loops(code, address);
        const bool is_late = is_awaited(code, address);
        if (!is_late) {
            if (!place->address)
                code->known[code->known_count++] = (uint16_t)(place - code->places);
            *place = (struct loop_code_place){
                .address = address, .first = code->loop_count, .count = count};
            code->loop_count += count > 0 ? (uint32_t)count : 0;
        }
        code->learning_ns += clock_now_async() - begin;
        errno = saved;
        return is_late ? NULL : place;
    }
    return place;
}

int loop_code_around(struct loop_code *code, uintptr_t address, uint64_t *around)
{
    look_at_epoch(code);
    const struct loop_code_place *place = ask_place(code, address);
    if (!place)
        return code->reading ? LOOPS_SOON : LOOPS_LATER;
    for (int i = 0; i < place->count; i++)
        around[i] = code->loops[place->first + (uint32_t)i];
    return place->count;
}

/* Finds the calls of FUNCTION that are known, LOOP_CODE_SITES at most; returns how many. */
static unsigned find_sites(const struct loop_code *code,
                           const struct loop_code_function *function,
                           uint32_t sites[LOOP_CODE_SITES])
{
    unsigned count = 0;
    for (unsigned i = 0; i < code->known_count && count < LOOP_CODE_SITES; i++) {
        const uintptr_t at = code->places[code->known[i]].address - function->start;
        if (at < function->bytes)
            sites[count++] = (uint32_t)at;
    }
    return count;
}

/* Which of the COUNT loops at ENTRIES may be passed unseen on WAY. */
static uint32_t find_unseen(struct loop_code *code, const struct loop_code_function *function,
                            uint32_t from, uint32_t to, const uint32_t *entries, int count,
                            const struct code_way *way)
{
    uint32_t sites[LOOP_CODE_SITES], asked[LOOPS_AROUND_MOST];
    unsigned numbers[LOOPS_AROUND_MOST], asked_count = 0;
    uint32_t unseen = 0;
    for (int i = 0; way->known && way->possible && i < count; i++) {
        if (way->crossed >> i & 1)
            continue;
        numbers[asked_count] = (unsigned)i;
        asked[asked_count++] = entries[i];
    }
    if (asked_count == 0)
        return 0;
    const uint32_t found =
        code_unseen(&code->blocks[function->first], function->count, from, to, asked,
                    asked_count, sites, find_sites(code, function, sites), code->memory);
    for (unsigned i = 0; i < asked_count; i++)
        unseen |= (found >> i & 1) << numbers[i];
    return unseen;
}

/* The way from the call at FROM to the one at TO, which has PLACE. */
static struct code_way read_way(struct loop_code *code, const struct loop_code_place *place,
                                uintptr_t from, uintptr_t to)
{
    const struct loop_code_function *function =
        place->count >= 0 ? find_function(code, to) : NULL;
    uint32_t entries[LOOPS_AROUND_MOST];
    if (!function || find_function(code, from) != function)
        return (struct code_way){.known = false};
    for (int i = 0; i < place->count; i++)
        entries[i] = (uint32_t)(code->loops[place->first + (uint32_t)i] - function->start);
    const uint32_t begin = (uint32_t)(from - function->start),
                   end = (uint32_t)(to - function->start);
    struct code_way way =
        code_way_between(&code->blocks[function->first], function->count, begin, end, entries,
                         (unsigned)place->count, code->memory);
    way.unseen = find_unseen(code, function, begin, end, entries, place->count, &way);
    return way;
}

struct code_way loop_code_way(struct loop_code *code, uintptr_t from, uintptr_t to)
{
    const size_t first = nearby_first(&near_ways, from, from ^ to << 20);
    const int32_t distance = (int32_t)(to - from);
    look_at_epoch(code);
    struct loop_code_way *way = &code->ways[first];
    for (uint64_t i = 1;
         i < TRIES && way->from && (way->from != from || way->distance != distance); i++)
        way = &code->ways[(first + i) % LOOP_CODE_WAYS];
    if (way->from != from || way->distance != distance) {
        const int saved = errno;
        const struct loop_code_place *place = ask_place(code, to);
        if (!place || !loop_code_has_time(code))
            return (struct code_way){.late = true};
        const int64_t begin = clock_now_async();
        code->questions++;
        const struct code_way found = read_way(code, place, from, to);
        *way = (struct loop_code_way){.from = from,
                                      .distance = distance,
                                      .crossed = (uint8_t)found.crossed,
                                      .unseen = (uint8_t)found.unseen,
                                      .known = found.known,
                                      .possible = found.possible,
                                      .same = found.same};
        code->learning_ns += clock_now_async() - begin;
        errno = saved;
    }
    return (struct code_way){.known = way->known,
                             .possible = way->possible,
                             .same = way->same,
                             .crossed = way->crossed,
                             .unseen = way->unseen};
}

bool loop_code_may_pass_unseen(struct loop_code *code, uintptr_t from, uintptr_t to,
                               uintptr_t entry, const uintptr_t *sites, unsigned count)
{
    const struct loop_code_function *function = find_function(code, from);
    uint32_t offsets[LOOP_CODE_SITES];
    if (!function || function->count == 0)
        return false;
    for (unsigned i = 0; i < count; i++)
        offsets[i] = (uint32_t)(sites[i] - function->start);
    const uint32_t top = (uint32_t)(entry - function->start);
    return code_unseen(&code->blocks[function->first], function->count,
                       (uint32_t)(from - function->start), (uint32_t)(to - function->start),
                       &top, 1, offsets, count, code->memory);
}

bool loop_code_is_dispatcher(struct loop_code *code, uintptr_t entry, const uintptr_t *sites,
                             unsigned count)
{
    const struct loop_code_function *function = find_function(code, entry);
    uint32_t offsets[LOOP_CODE_SITES];
    if (!function || function->count == 0)
        return false;
    for (unsigned i = 0; i < count; i++)
        offsets[i] = (uint32_t)(sites[i] - function->start);
    return code_is_dispatcher(&code->blocks[function->first], function->count,
                              (uint32_t)(entry - function->start), offsets, count,
                              code->memory);
}

void loop_code_note_read(struct loop_code *code, uintptr_t address, uintptr_t entry,
                         bool was_read)
{
    struct loop_code_counter *place = place_of_counter(code, address, entry);
    if (!place || place->was_read || (place->was_lost && !was_read))
        return;
    place->was_read = was_read;
    place->was_lost = place->was_lost || !was_read;
    struct loop_code_counter *first = place_of_counter(code, entry, entry);
    if (first)
        first->was_read = first->was_read || was_read;
}

bool loop_code_is_counted(struct loop_code *code, uintptr_t address, uintptr_t entry)
{
    const struct code_counter *counter = loop_code_counter(code, address, entry);
    if (!counter || counter->place.kind == PLACE_ELSEWHERE)
        return false;
    const struct loop_code_counter *place = place_of_counter(code, address, entry),
                                   *first = place_of_counter(code, entry, entry);
    return place->was_read || (!place->was_lost && first && first->was_read);
}
