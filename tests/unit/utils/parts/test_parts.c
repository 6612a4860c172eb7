/*
 * Parts: what processes left comes back as a summary in which all promises hold; what is
 * missing is said; and no part, however damaged, does more than fail with a message.
 */
#include "parts/subject.h"

#include "accuracy/checks.h"
#include "common/crc32.h"
#include "file/write_summary.h"
#include "parts/part_files.h"
#include "parts/part_snapshot.h"
#include "print/text.h"
#include "query/sums.h"
#include "tap.h"
#include "tests/unit/utils/parts/part_maker.h"
#include "tests/unit/utils/summary_maker.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/tsprof-test-XXXXXX";

#define JOB "wave.17.K1.parts"

/* A path below the directory; valid until the next but one. */
static const char *at(const char *name)
{
    static char paths[2][256];
    static int turn;
    turn = !turn;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", directory, name);
    return paths[turn];
}

static void save(const struct part_maker *maker, const char *name)
{
    struct encoder file = {0};
    part_maker_write(maker, &file);
    OK(maker_save(at(name), file.bytes, file.size), "%s is written", name);
    encoder_free(&file);
}

static void save_example(uint32_t rank, const char *name,
                         void (*change)(struct part_maker *maker))
{
    struct part_maker maker;
    part_maker_example(&maker, rank, "K1");
    if (change)
        change(&maker);
    save(&maker, name);
    part_maker_free(&maker);
}

static void remove_all(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s/*", directory);
    OK(system(command) == 0 && mkdir(at(JOB), 0777) == 0, "an empty directory");
}

/* Both ranks, rank 0 as CHANGE makes it. */
static void save_job(void (*change)(struct part_maker *maker))
{
    remove_all();
    save_example(0, JOB "/0.node01.4000.part", change);
    save_example(1, JOB "/1.node01.4001.part", NULL);
}

/* The subject at NAME; its summary is NULL, and a message is printed, if it cannot be had. */
static struct subject read_subject(const char *name)
{
    struct subject subject;
    struct error error = {""};
    if (!subject_open(&subject, at(name), &error)) {
        printf("# %s\n", error.text);
        subject = (struct subject){0};
    }
    return subject;
}

static const char *fact(const struct summary *summary, const char *key)
{
    const char *value = summary_fact(summary, key);
    return value ? value : "nothing";
}

static bool has_note(const struct location *location, const char *text)
{
    for (size_t i = 0; i < location->note_count; i++)
        if (strstr(location->notes[i], text))
            return true;
    for (size_t i = 0; i < location->note_count; i++)
        printf("# note: %s\n", location->notes[i]);
    return false;
}

static void check_promises(const struct summary *summary, size_t locations)
{
    struct check accounting = check_accounting(summary), totals = check_totals(summary);
    OK(check_holds(&accounting) && accounting.good_locations == locations, "times add up: %s",
       text_string(&accounting.first));
    OK(check_holds(&totals) && totals.good_locations == locations, "totals add up: %s",
       text_string(&totals.first));
    text_free(&accounting.first);
    text_free(&totals.first);
}

static int64_t value_of(const struct summary *summary, const struct profile *profile,
                        const char *metric)
{
    int64_t *values = profile_inclusive(summary, profile);
    int64_t value = values[summary_metric(summary, metric)];
    free(values);
    return value;
}

static void test_parts_become_a_summary(void)
{
    save_job(NULL);
    struct subject subject = read_subject(".");
    struct summary *summary = subject.summary;
    if (!OK(summary, "the parts are merged"))
        return;
    EQ_INT(summary->state, FORMAT_PARTIAL, "the summary is partial");
    EQ_INT(summary->location_count, 3, "all locations are there");
    OK(strcmp(fact(summary, "program"), "wave") == 0, "facts come from the parts");
    OK(strcmp(fact(summary, "parts"), "2") == 0, "and how many there are");
    OK(!summary_fact(summary, "missing_ranks"), "no rank is missing");
    check_promises(summary, 3);
    const struct location *first = &summary->locations[0];
    const struct series *series = location_series(first, summary_phase(summary, "step"));
    OK(series && series->iterations == 6 && series->cluster_count == 2,
       "rank 0 has its iterations in its clusters");
    EQ_INT(summary->locations[1].process, 4001, "processes are known");
    OK(strcmp(summary->hosts[summary->locations[1].host].name, "node01") == 0, "and hosts");
    OK(has_note(first, "complete up to 0.030000 s"), "it says up to when it is complete");
    OK(has_note(&summary->locations[1], "the paths below depth 64 were cut"), "notes stay");
    subject_close(&subject);
}

/* Functions of files that are not there, or not the same any more, are not named. */
static void test_modules_that_are_gone_give_offsets(void)
{
    save_job(NULL);
    struct subject subject = read_subject(JOB);
    bool found = false, spin = false;
    for (size_t i = 0; subject.summary && i < subject.summary->region_count; i++) {
        found |= strcmp(subject.summary->regions[i].name, "wave+0x200") == 0;
        spin |= strcmp(subject.summary->regions[i].name, "spin") == 0;
    }
    OK(found, "a function is known by its place");
    OK(spin, "but for one that was known without the file");
    subject_close(&subject);
}

static void test_open_iterations_are_outside(void)
{
    save_job(part_maker_open_iteration);
    struct subject subject = read_subject(".");
    struct summary *summary = subject.summary;
    if (!OK(summary, "the parts are merged"))
        return;
    const struct location *first = &summary->locations[0];
    const struct series *series = location_series(first, summary_phase(summary, "step"));
    check_promises(summary, 3);
    EQ_INT(series->iterations, 6, "the open one is no iteration");
    EQ_INT(value_of(summary, &first->outside, "computation"), 9000000,
           "its computation is outside");
    EQ_INT(value_of(summary, &first->outside, "mpi_point2point"), 2000000, "so is its MPI");
    OK(has_note(first, "iteration 6 of step had not ended"), "which is said");
    OK(has_note(first, "complete up to 0.033000 s"), "the newer snapshot counts");
    subject_close(&subject);
}

static void damage_newer(struct part_maker *maker)
{
    part_maker_open_iteration(maker);
    /* Its checksum is right, but it speaks of what is not in the log. */
    maker->threads[0].sequences[1] = 0;
}

/* Sets one byte of the first part; from its end if AT is below 0. */
static bool damage_part(off_t at_byte)
{
    struct stat status;
    int file = open(at(JOB "/0.node01.4000.part"), O_RDWR);
    const bool done =
        file >= 0 && fstat(file, &status) == 0 &&
        pwrite(file, "\xff", 1, at_byte < 0 ? status.st_size + at_byte : at_byte) == 1;
    close(file);
    return done;
}

/* Whether the first location's older snapshot counts, and that is SAID. */
static void check_older_counts(bool said, const char *what)
{
    struct subject subject = read_subject(".");
    const struct location *first = subject.summary ? &subject.summary->locations[0] : NULL;
    OK(first && has_note(first, "complete up to 0.030000 s"), "%s", what);
    OK(first && has_note(first, "its latest snapshot is damaged") == said, "%s: which is %s",
       what, said ? "said" : "as it should be");
    subject_close(&subject);
}

static void test_older_snapshots_serve(void)
{
    enum { SECOND_SLOT = PART_RECORDS + PART_SLOTS + PART_SLOT_BYTES };
    save_job(damage_newer);
    check_older_counts(false, "without a newer one the older one counts");
    save_job(part_maker_open_iteration);
    OK(damage_part(-1), "the last byte of the file is of the newer snapshot");
    check_older_counts(true, "where the newer one is damaged the older one counts");
    save_job(part_maker_open_iteration);
    OK(damage_part(SECOND_SLOT + 9), "the newer snapshot's size is damaged");
    check_older_counts(true, "where it cannot be found, too");
}

static void test_missing_ranks_are_named(void)
{
    save_job(NULL);
    unlink(at(JOB "/0.node01.4000.part"));
    struct subject subject = read_subject(".");
    OK(subject.summary && subject.summary->location_count == 2, "one rank is merged");
    OK(subject.summary && strcmp(fact(subject.summary, "missing_ranks"), "0") == 0,
       "the other is named");
    EQ_INT(subject.merged.missing, 1, "and counted");
    subject_close(&subject);
}

static void test_damaged_parts_are_left_out(void)
{
    save_job(NULL);
    OK(truncate(at(JOB "/1.node01.4001.part"), 100) == 0, "a part is cut off");
    struct subject subject = read_subject(".");
    OK(subject.summary && subject.summary->location_count == 1, "the other one is merged");
    EQ_INT(subject.merged.skipped, 1, "and the damaged one counted");
    subject_close(&subject);
}

/* What is put aside is read again: also a map that had no room to say where iterations are. */
static void test_unmapped_iterations_come_back(void)
{
    struct maker maker;
    struct encoder file = {0}, content = {0};
    struct error error = {""};
    maker_example(&maker);
    maker_write(&maker, &file);
    OK(maker_save(at("example.tsprof"), file.bytes, file.size), "an example");
    struct summary *summary = summary_read(at("example.tsprof"), &error);
    struct location again = {0};
    if (OK(summary, "it is read")) {
        struct run *run = &summary->locations[0].series[0].runs[1];
        run->cluster = SUMMARY_NONE;
        run->unmapped = true;
        summary_encode_numbers(&summary->locations[0], &content);
        struct decoder in = {content.bytes, content.size, 0, false};
        OK(summary_read_content(summary, SECTION_LOCATION, &again, &in, &error), "%s",
           error.text);
        EQ_INT(again.series[0].unmapped, run->length, "as many iterations are unmapped");
        EQ_INT(again.series[0].lost, 0, "none is lost");
    }
    summary_free(summary);
    encoder_free(&content);
    encoder_free(&file);
    maker_free(&maker);
}

static void abort_it(struct part_maker *maker)
{
    maker->ending = 3;
    maker->lost_threads = 2;
}

static void test_endings_are_told(void)
{
    save_job(abort_it);
    struct subject subject = read_subject(".");
    OK(subject.summary && strstr(subject.summary->locations[0].ending, "MPI_Abort"),
       "MPI_Abort");
    OK(subject.summary && has_note(&subject.summary->locations[0], "2 further threads"),
       "threads without room");
    subject_close(&subject);
}

/* Rank 0 waits in MPI_Recv, called from somewhere in the program's code. */
static void receive(struct part_maker *maker)
{
    struct thread_maker *thread = &maker->threads[0];
    thread->call = PART_MAKER_RECV + 1;
    thread->since_ns = 12000000;
    thread->caller = 0x400000 + 0x250;
    thread->node = NODE_allreduce_1 + 1;
    thread->seen = 2;
    thread->seen_ns = 11000000; /* of an earlier call */
}

static void test_places_are_told(void)
{
    struct text text = {0};
    save_job(receive);
    struct subject subject = read_subject(".");
    if (!OK(subject.summary, "the parts are merged"))
        return;
    live_add_text(&subject.merged.live, subject.summary, 80, &text);
    OK(strstr(text_string(&text), "rank 0: MPI_Recv in wave+0x250"), "the caller of MPI_Recv");
    OK(!strstr(text_string(&text), "MPI_Allreduce"), "the call path of another call is not");
    OK(strstr(text_string(&text), "rank 1: in the program"), "who is not in MPI");
    OK(strstr(text_string(&text), "rank 1, thread 1: in the program"), "threads");
    printf("# %s\n", text_string(&text));
    text_free(&text);
    subject_close(&subject);
}

static void allreduce(struct part_maker *maker)
{
    receive(maker);
    maker->threads[0].call = PART_MAKER_ALLREDUCE + 1;
    maker->threads[0].seen_ns = 13000000;
}

static void test_call_paths_are_told(void)
{
    struct text text = {0};
    save_job(allreduce);
    struct subject subject = read_subject(".");
    if (!OK(subject.summary, "the parts are merged"))
        return;
    live_add_text(&subject.merged.live, subject.summary, 80, &text);
    OK(strstr(text_string(&text), "step > wave+0x200 > MPI_Allreduce"), "the call path: %s",
       text_string(&text));
    text_free(&text);
    subject_close(&subject);
}

/* Whether FILES of PATHS can be found; ERROR if not. */
static bool finds(const char *const *paths, size_t count, size_t wanted, struct error *error)
{
    struct part_files files;
    error->text[0] = '\0';
    if (!part_files_find(&files, paths, count, error))
        return false;
    bool right = files.count == wanted;
    part_files_free(&files);
    return right;
}

static void test_jobs_are_told_apart(void)
{
    struct error error;
    struct part_maker maker;
    char first[256], second[256];
    const char *both[] = {first, second};
    save_job(NULL);
    OK(mkdir(at("wave.18.K2.parts"), 0777) == 0, "a second job");
    part_maker_example(&maker, 0, "K2");
    save(&maker, "wave.18.K2.parts/0.node01.5000.part");
    part_maker_free(&maker);
    const char *top = directory;
    OK(!finds(&top, 1, 0, &error) && strstr(error.text, "2 jobs") &&
           strstr(error.text, "wave.18.K2.parts (ranks 0)"),
       "it is asked which: %s", error.text);
    snprintf(first, sizeof first, "%s/%s", directory, JOB);
    snprintf(second, sizeof second, "%s/wave.18.K2.parts", directory);
    OK(finds(both, 1, 2, &error) && finds(both + 1, 1, 1, &error), "each can be named");
    OK(!finds(both, 2, 0, &error), "both cannot: they have a rank in common");
    unlink(at(JOB "/0.node01.4000.part"));
    OK(finds(both, 2, 2, &error), "hosts of one job can: %s", error.text);
    OK(!finds(&top, 1, 0, &error), "if they are named");
}

static void test_ranks_come_once(void)
{
    struct error error;
    const char *top = directory;
    save_job(NULL);
    save_example(1, JOB "/1.node02.17.part", NULL);
    OK(finds(&top, 1, 2, &error), "of two parts of one rank there is one");
}

static void test_the_name_of_the_summary(void)
{
    struct part_files files;
    struct error error;
    char name[4096], wanted[4096];
    const char *top = directory;
    save_job(NULL);
    if (!OK(part_files_find(&files, &top, 1, &error), "parts are found"))
        return;
    part_files_output(&files, name, sizeof name);
    snprintf(wanted, sizeof wanted, "%s/wave.17.tsprof", directory);
    OK(strcmp(name, wanted) == 0, "%s", name);
    OK(maker_save(wanted, "x", 1), "it is taken");
    part_files_output(&files, name, sizeof name);
    snprintf(wanted, sizeof wanted, "%s/wave.17.1.tsprof", directory);
    OK(strcmp(name, wanted) == 0, "%s", name);
    OK(maker_save(at(JOB "/README"), "x", 1) && part_files_remove(&files, &error) &&
           access(at(JOB), F_OK) != 0,
       "parts can be removed, with their directory");
    part_files_free(&files);
}

/* Reads all of a part, as merging does; true if nothing in it was damaged. */
static bool read_part(const char *path)
{
    struct part_reading part;
    struct error error;
    bool good = true;
    if (!part_open(&part, path, &error))
        return error.text[0] == '\0';
    for (unsigned i = 0; i < PART_THREADS; i++) {
        struct part_thread thread;
        struct part_log_reading log = {0};
        struct part_snapshot snapshot;
        if (!part_read_thread(&part, i, &thread))
            continue;
        const struct found_snapshot found = part_snapshot_find(&part, i, &thread);
        if (!found.bytes || !part_log_read(&part, thread.log, &log, &error) ||
            !part_snapshot_decode(&part, i, &log, &found, &snapshot, &error))
            good = false;
        else
            part_snapshot_close(&part, &snapshot);
        part_log_free(&log);
        free(found.bytes);
    }
    part_close(&part);
    return good;
}

/* A file in memory that holds the part of rank 1 with an open iteration. */
static int make_file(struct encoder *bytes, char path[64])
{
    struct part_maker maker;
    part_maker_example(&maker, 1, "K1");
    part_maker_open_iteration(&maker);
    part_maker_write(&maker, bytes);
    part_maker_free(&maker);
    int file = memfd_create("part", MFD_CLOEXEC);
    snprintf(path, 64, "/proc/self/fd/%d", file);
    if (file < 0 || write(file, bytes->bytes, bytes->size) != (ssize_t)bytes->size)
        return -1;
    return file;
}

static void test_truncation_at_every_byte(void)
{
    struct encoder bytes = {0};
    char path[64];
    unsigned good = 0;
    int file = make_file(&bytes, path);
    OK(file >= 0 && read_part(path), "the whole part is read");
    /* Zeros that nothing is in are cut in larger steps. */
    for (size_t size = bytes.size; size-- > 0;) {
        if (size > 160 && size < 36864 && size % 256 != 17)
            continue;
        if (ftruncate(file, (off_t)size) != 0)
            OK(false, "%zu bytes", size);
        good += read_part(path);
    }
    EQ_INT(good, 0, "no part that is cut off is whole");
    close(file);
    encoder_free(&bytes);
}

static void test_every_bit(void)
{
    struct encoder bytes = {0};
    char path[64];
    int file = make_file(&bytes, path);
    unsigned tried = 0;
    for (size_t i = 0; file >= 0 && i < bytes.size; i++) {
        if ((i > 160 && i < 4096) || (i > 4096 + 256 && i < 36864))
            continue;
        for (unsigned bit = 0; bit < 8; bit += tap_stride(), tried++) {
            unsigned char changed = bytes.bytes[i] ^ (unsigned char)(1u << bit);
            if (pwrite(file, &changed, 1, (off_t)i) == 1)
                read_part(path);
        }
        if (pwrite(file, bytes.bytes + i, 1, (off_t)i) != 1)
            OK(false, "byte %zu", i);
    }
    OK(tried > 1000 && read_part(path), "%u changed bits do no harm", tried);
    close(file);
    encoder_free(&bytes);
}

/* Sizes that lie: each of these says that there is more than a gigabyte. */
static void test_sizes_that_lie(void)
{
    static const struct {
        size_t at;
        const char *what;
    } sizes[] = {{48, "facts"}, {4096 + 72, "a snapshot"}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct encoder bytes = {0};
        char path[64];
        int file = make_file(&bytes, path);
        uint32_t crc;
        static const unsigned char huge[8] = {0, 0, 0, 0, 0, 1, 0, 0};
        memcpy(bytes.bytes + sizes[i].at, huge, sizeof huge);
        crc = crc32_update(0, bytes.bytes, 124);
        memcpy(bytes.bytes + 124, &crc, sizeof crc);
        crc = crc32_update(0, bytes.bytes + 4096 + 64, 28);
        memcpy(bytes.bytes + 4096 + 64 + 28, &crc, sizeof crc);
        OK(pwrite(file, bytes.bytes, bytes.size, 0) == (ssize_t)bytes.size &&
               ftruncate(file, (off_t)1 << 42) == 0,
           "a file of four terabytes, none of them real");
        read_part(path);
        OK(true, "%s of a terabyte is not read", sizes[i].what);
        close(file);
        encoder_free(&bytes);
    }
}

int main(void)
{
    if (!mkdtemp(directory))
        return 99;
    test_parts_become_a_summary();
    test_modules_that_are_gone_give_offsets();
    test_open_iterations_are_outside();
    test_older_snapshots_serve();
    test_missing_ranks_are_named();
    test_damaged_parts_are_left_out();
    test_unmapped_iterations_come_back();
    test_endings_are_told();
    test_places_are_told();
    test_call_paths_are_told();
    test_jobs_are_told_apart();
    test_ranks_come_once();
    test_the_name_of_the_summary();
    test_truncation_at_every_byte();
    test_every_bit();
    test_sizes_that_lie();
    remove_all();
    rmdir(at(JOB));
    rmdir(directory);
    return tap_done();
}
