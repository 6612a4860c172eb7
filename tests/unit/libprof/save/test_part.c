/*
 * Parts: whose files they are, and are not; what is saved, in which order; what is live.  Each
 * test runs in a process of its own, since a process has one part.
 */
#include "save/part.h"

#include "common/codec.h"
#include "common/crc32.h"

#include "host/config.h"
#include "iterations/iterations.h"
#include "library/library.h"
#include "life/attach.h"
#include "measure/measure.h"
#include "save/part_file.h"
#include "unwind/caller.h"
#include "unwind/recipe.h"

#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64];

/* Whether WORK succeeds, in a directory of its own that is the current one. */
static bool works(bool (*work)(void))
{
    pid_t child = fork();
    if (child == 0) {
        char directory[] = "case-XXXXXX";
        bool ready = chdir(root) == 0 && mkdtemp(directory) && chdir(directory) == 0;
        _exit(ready && work() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
}

static bool make(const char *first, const char *second)
{
    const struct part_places places = {{first, second}, "part"};
    return part_file_create_async(&places);
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    fputs(text, file);
    fclose(file);
}

static bool holds(const char *name, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(name, "r");
    if (!file)
        return false;
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    return strcmp(found, text) == 0;
}

static bool is_there(const char *name)
{
    struct stat found;
    return lstat(name, &found) == 0;
}

static bool is_made(void)
{
    return make("a", NULL) && is_there("a/part") && part_file_exists_async();
}

static bool goes_elsewhere(void)
{
    return make("no/where", "b") && is_there("b/part") &&
           strcmp(part_file_directory(), "b") == 0;
}

static bool keeps_what_is_there(void)
{
    mkdir("a", 0777);
    put("a/part", "old");
    return !make("a", NULL) && holds("a/part", "old");
}

static bool follows_no_directory(void)
{
    mkdir("target", 0777);
    return symlink("target", "a") == 0 && !make("a", NULL) && !is_there("target/part");
}

static bool follows_no_file(void)
{
    mkdir("a", 0777);
    put("target", "old");
    return symlink("../target", "a/part") == 0 && !make("a", NULL) && holds("target", "old");
}

static bool finds_it_again(void)
{
    if (!make("a", NULL))
        return false;
    for (int file = 3; file < 1024; file++)
        close(file);
    return part_file_check_async() && part_file_write_async(PART_EXTENTS, "text", 4);
}

static bool takes_no_other(void)
{
    if (!make("a", NULL))
        return false;
    for (int file = 3; file < 1024; file++)
        close(file);
    put("other", "old");
    return rename("other", "a/part") == 0 && !part_file_check_async() &&
           !part_file_exists_async() && holds("a/part", "old");
}

/* Whoever has the number now is not written to, nor closed. */
static bool leaves_other_descriptors(void)
{
    if (!make("a", NULL))
        return false;
    put("other", "old");
    int other = open("other", O_RDWR);
    for (int file = 800; file < 1024; file++)
        dup2(other, file);
    bool found = part_file_check_async() && part_file_write_async(0, "text", 4);
    part_file_remove();
    return found && holds("other", "old") && fcntl(1023, F_GETFD) >= 0 && !is_there("a");
}

static bool respects_limits(void)
{
    const struct rlimit limit = {PART_EXTENTS + 100, PART_EXTENTS + 100};
    return make("a", NULL) && setrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           part_file_write_async(PART_EXTENTS, "text", 4) &&
           !part_file_write_async(PART_EXTENTS + 98, "text", 4) && !part_file_exists_async();
}

static bool removes_its_own_only(void)
{
    if (!make("a", NULL))
        return false;
    put("a/other", "old");
    part_file_remove();
    return !is_there("a/part") && is_there("a/other");
}

/* The live fields can be written, whatever has become of the file. */
static bool can_be_written(void)
{
    for (unsigned i = 0; i < PART_THREADS; i++)
        part_file_live_async(i)->call = i;
    return part_file_live_async(PART_THREADS - 1)->call == PART_THREADS - 1;
}

static bool survives_truncation(off_t bytes)
{
    if (!make("a", NULL) || !part_file_write_async(PART_EXTENTS, "text", 4))
        return false;
    bool mapped = part_file_is_mapped_async();
    part_file_live_async(1)->call = 17;
    if (truncate("a/part", bytes) != 0 || !can_be_written())
        return false;
    return part_file_is_mapped_async() == (mapped && bytes >= PART_EXTENTS) &&
           !part_file_check_async() && !part_file_exists_async() &&
           !part_file_is_mapped_async();
}

static bool survives_emptying(void)
{
    return survives_truncation(0);
}

static bool survives_shortening(void)
{
    return survives_truncation(PART_RECORDS + 100) && can_be_written();
}

static bool notices_missing_ends(void)
{
    return survives_truncation(PART_EXTENTS + 1);
}

/* A write behind the end has made it as long as it was. */
static bool notices_holes(void)
{
    const char header[PART_HEADER_BYTES] = PART_MAGIC;
    return make("a", NULL) && part_file_write_header_async(header) && part_file_check_async() &&
           truncate("a/part", 0) == 0 && part_file_write_async(PART_EXTENTS, "text", 4) &&
           !part_file_check_async();
}

static bool notices_removal(void)
{
    return make("a", NULL) && unlink("a/part") == 0 && can_be_written() &&
           !part_file_check_async() && !part_file_exists_async();
}

static bool keeps_a_successor(void)
{
    if (!make("a", NULL))
        return false;
    put("other", "old");
    bool noticed = rename("other", "a/part") == 0 && !part_file_check_async();
    part_file_remove();
    return noticed && holds("a/part", "old");
}

/* What a thread saves */

static struct thread *thread;

static int say_version(char *text, int *length)
{
    text[0] = '\0';
    return *length = 0;
}

static void play(enum mpi_call call, void *function)
{
    memcpy(&mpi_real_table[1][call], &function, sizeof function);
}

static void measure(void)
{
    char output[512], here[400];
    snprintf(output, sizeof output, "%s/out.tsprof", getcwd(here, sizeof here));
    setenv("TSPROF_OUTPUT", output, 1);
    config_start();
    layouts_start();
    mpi_calls_start();
    recipe_start();
    clock_start();
    clock_calibrate();
    play(CALL_MPI_Get_library_version, (void *)say_version);
    const struct follow_place nowhere = follow_place(NULL);
    const struct thread_identity identity = thread_identity();
    thread = thread_attach(clock_now_async(), &nowhere, &identity);
    part_prepare(3, 4);
}

/* What the wrapper of MPI_Comm_size does; meanwhile LOOK. */
__attribute__((noinline)) static bool call(bool (*look)(void))
{
    const uintptr_t *frame = ARCH_FRAME();
    bool seen = true;
    thread->depth = DEPTH_TSPROF;
    thread->entry_frame = arch_frame_address(frame);
    uint64_t begin = measure_begin(thread, CALL_MPI_Comm_size, frame);
    if (look)
        seen = look();
    uint64_t end = measure_end(thread);
    measure_record(thread, CALL_MPI_Comm_size, frame, begin, end);
    thread_leave(thread);
    return seen;
}

__attribute__((noinline)) static void mark(const char *name, bool begins)
{
    struct registers caller = unwind_caller(ARCH_FRAME());
    thread->depth = DEPTH_TSPROF;
    (begins ? phase_begin(thread, name, true, caller, clock_ticks_async())
            : phase_end(thread, name, caller, clock_ticks_async()));
    thread->depth = DEPTH_PROGRAM;
}

/* One piece of a save. */
static void save_piece(void)
{
    thread->depth = DEPTH_TSPROF;
    part_save_async(thread);
    thread->depth = DEPTH_PROGRAM;
}

/* A whole save. */
static void save(void)
{
    thread->depth = DEPTH_TSPROF;
    iteration_flush_queue_async(thread);
    save_piece();
    while (thread->frozen)
        save_piece();
    /* The next one is made when the test wants it. */
    thread->save_due_ns = thread->work_due_ns = INT64_MAX;
}

/* The part as it is now, to be freed. */
static unsigned char *load(size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "ls %s/*.part", part_file_directory());
    FILE *list = popen(path, "r");
    if (!list || !fgets(path, sizeof path, list))
        return NULL;
    pclose(list);
    path[strcspn(path, "\n")] = '\0';
    FILE *file = fopen(path, "r");
    unsigned char *bytes = calloc(1, 1 << 22);
    *size = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    return bytes;
}

struct slot {
    uint64_t offset, size;
    uint32_t sequence, crc;
    bool valid;
};

static struct slot read_slot(const unsigned char *part, unsigned number)
{
    const unsigned char *at = part + PART_RECORDS + PART_SLOTS + number * PART_SLOT_BYTES;
    struct decoder in = {.bytes = at, .size = PART_SLOT_BYTES};
    struct slot slot = {.offset = decode_u64(&in), .size = 0};
    slot.size = decode_u64(&in);
    slot.sequence = decode_u32(&in);
    slot.crc = decode_u32(&in);
    decode_u32(&in);
    slot.valid = slot.size > 0 && decode_u32(&in) == crc32_update(0, at, PART_SLOT_BYTES - 4) &&
                 crc32_update(0, part + slot.offset, slot.size) == slot.crc;
    return slot;
}

/* A snapshot is there as long as the next one is written, whatever may end the process. */
static bool alternates(void)
{
    size_t size;
    measure();
    for (uint32_t i = 1; i < 30; i++) {
        mark("step", true);
        call(NULL);
        mark("step", false);
        save();
        unsigned char *part = load(&size);
        struct slot last = read_slot(part, i % 2), before = read_slot(part, 1 - i % 2);
        bool right = last.valid && last.sequence == i &&
                     (i == 1 ? before.size == 0 : before.valid && before.sequence == i - 1) &&
                     (last.offset + last.size <= before.offset ||
                      before.offset + before.size <= last.offset);
        free(part);
        if (!right)
            return false;
    }
    return true;
}

/* Up to when the snapshot in SLOT is complete. */
static int64_t saved_ns(const unsigned char *part, struct slot slot)
{
    struct decoder in = {.bytes = part + slot.offset, .size = slot.size};
    decode_varint(&in);
    return (int64_t)decode_varint(&in);
}

/* A save is of the instant at which it began, whatever the thread does until it has ended. */
static bool is_of_one_instant(void)
{
    size_t size;
    measure();
    for (uint64_t i = 0; i < 20000; i++)
        cct_child_async(&thread->tree, CCT_ROOT, NODE_FUNCTION, i + 1, 77, LAYOUT_FRAME,
                        METRIC_none);
    mark("step", true);
    call(NULL);
    mark("step", false);
    const int64_t begin_ns = thread->last_ns;
    int pieces = 0;
    iteration_flush_queue_async(thread);
    do {
        save_piece();
        mark("step", true);
        call(NULL);
        mark("step", false);
    } while (thread->frozen && ++pieces < 10000);
    unsigned char *part = load(&size);
    const struct slot slot = read_slot(part, 1);
    bool right = pieces > 2 && slot.valid && slot.sequence == 1 &&
                 saved_ns(part, slot) == begin_ns && read_slot(part, 0).size == 0;
    free(part);
    return right;
}

/* What changes clusters waits for the save, which is ended for it. */
static bool is_ended_early(void)
{
    size_t size;
    measure();
    mark("step", true);
    call(NULL);
    mark("step", false);
    iteration_flush_queue_async(thread);
    save_piece();
    bool frozen = thread->frozen;
    mark("step", true);
    mark("step", false);
    frozen = frozen && thread->frozen && thread->iterations->queue.count == 1;
    for (int i = 0; i < ENDED_MOST + 2; i++) {
        mark("step", true);
        mark("step", false);
    }
    unsigned char *part = load(&size);
    bool right = frozen && !thread->frozen && read_slot(part, 1).valid;
    free(part);
    return right;
}

/* Follows the log; how many nodes are in it. */
static uint64_t count_logged(const unsigned char *part, size_t size)
{
    struct live live;
    uint64_t nodes = 0;
    memcpy(&live, part + PART_RECORDS, sizeof live);
    uint64_t at = live.log;
    for (uint32_t number = 0; at + 16 <= size; number++) {
        struct decoder header = {.bytes = part + at, .size = 16};
        uint32_t magic = decode_u32(&header), bytes = decode_u32(&header);
        uint32_t crc = decode_u32(&header);
        if (magic != 0x474F4C54 || decode_u32(&header) != number || at + 16 + bytes > size ||
            crc32_update(0, part + at + 16, bytes) != crc)
            break;
        struct decoder in = {.bytes = part + at + 16, .size = bytes};
        uint64_t kind = decode_varint(&in), first = decode_varint(&in);
        /* Batches of nothing but nodes; the first one has what has been before. */
        if (kind == 3)
            nodes = first + decode_varint(&in);
        at = kind == 5 ? first : at + 16 + bytes;
    }
    return nodes;
}

static bool logs_all_nodes(void)
{
    size_t size;
    measure();
    /* Modules are seen once. */
    call(NULL);
    save();
    for (uint64_t round = 1; round <= 8; round++) {
        for (uint64_t i = 0; i < 300 * round; i++)
            cct_child_async(&thread->tree, CCT_ROOT, NODE_FUNCTION, 1000000 * round + i, 77,
                            LAYOUT_FRAME, METRIC_none);
        call(NULL);
        save();
        unsigned char *part = load(&size);
        bool all = count_logged(part, size) == thread->tree.node_count;
        free(part);
        if (!all)
            return false;
    }
    return true;
}

static struct live found;

static bool look_into_part(void)
{
    size_t size;
    unsigned char *part = load(&size);
    memcpy(&found, part + PART_RECORDS, sizeof found);
    free(part);
    return true;
}

/* As the handler does, long after the call began. */
static bool look_back(void)
{
    thread->depth = DEPTH_TSPROF;
    part_look_in_mpi_async(thread, clock_now_async() + INT64_C(100000000));
    thread->depth = DEPTH_MPI;
    return look_into_part();
}

static bool shows_the_call(void)
{
    measure();
    save();
    call(look_into_part);
    bool right = found.used == 1 && found.call == CALL_MPI_Comm_size + 1 &&
                 found.seen_in == 0 && found.since_ticks >= measurement_clock.base_ticks &&
                 found.caller - (uintptr_t)shows_the_call < 4096;
    call(look_back);
    const struct node *node = &thread->tree.nodes[found.node - 1];
    right = right && found.seen_in == PART_SEEN_IN_MPI && node->kind == NODE_MPI &&
            node->key == CALL_MPI_Comm_size &&
            (int64_t)found.seen_ns >= clock_to_ns_async(found.since_ticks);
    look_into_part();
    return right && found.call == 0;
}

/* To look earlier where a call came from changes nothing. */
static bool looks_without_counting(void)
{
    measure();
    save();
    for (int i = 0; i < 5; i++)
        call(i % 2 ? look_back : NULL);
    int64_t calls = 0;
    for (uint32_t i = 0; i < thread->outside.touched_count; i++) {
        const struct node *node = &thread->tree.nodes[thread->outside.touched[i]];
        unsigned cell = layout_table[node->layout].cell_of[METRIC_visits];
        int64_t visits = thread->outside.values[node->cell + cell];
        calls += node->kind == NODE_MPI ? visits : 0;
        if (node->kind == NODE_FUNCTION && visits != 1)
            return false;
    }
    return calls == 5;
}

static bool saves_nothing_in_a_child(void)
{
    size_t size, after;
    measure();
    save();
    unsigned char *before = load(&size);
    pid_t child = fork();
    if (child == 0) {
        part_forget_async();
        call(NULL);
        save();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    unsigned char *now = load(&after);
    /* Live fields of a child that the handlers of fork have not seen are its parent's. */
    bool same = size == after &&
                memcmp(before + PART_EXTENTS, now + PART_EXTENTS, size - PART_EXTENTS) == 0;
    free(before);
    free(now);
    return same;
}

int main(void)
{
    static const struct {
        bool (*work)(void);
        const char *text;
    } tests[] = {
        {is_made, "a part is made"},
        {goes_elsewhere, "elsewhere if it cannot be"},
        {keeps_what_is_there, "never in place of another file"},
        {follows_no_directory, "nor where a symbolic link to a directory leads"},
        {follows_no_file, "nor one to a file"},
        {finds_it_again, "it is found again when all files were closed"},
        {takes_no_other, "but no other file in its place"},
        {leaves_other_descriptors, "the program's own descriptors are left alone"},
        {respects_limits, "a file that must not grow gives no signal"},
        {removes_its_own_only, "nothing is removed but the part"},
        {survives_emptying, "emptied: stores do no harm, and the part ends"},
        {survives_shortening, "likewise if it becomes shorter than its records"},
        {notices_missing_ends, "the part ends if its end is cut off"},
        {notices_holes, "the part ends if it lost its begin, whatever its size"},
        {notices_removal, "the part ends if it is removed"},
        {keeps_a_successor, "another file in its place stays"},
        {alternates, "the last snapshot stays as long as another one is written"},
        {is_of_one_instant, "a save in pieces is of the instant at which it began"},
        {is_ended_early, "and is ended before clusters change"},
        {logs_all_nodes, "every call path is in the log, however long that is"},
        {shows_the_call, "the call under way can be seen, and its path if it is long"},
        {looks_without_counting, "which changes no count of visits"},
        {saves_nothing_in_a_child, "a child saves nothing"},
    };
    snprintf(root, sizeof root, "/tmp/test_part-XXXXXX");
    if (!mkdtemp(root))
        return 1;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        OK(works(tests[i].work), "%s", tests[i].text);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    EQ_INT(system(command), 0, "what is left can be removed");
    return tap_done();
}
