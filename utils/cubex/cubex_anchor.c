/*
 * The anchor of a CUBE file, anchor.xml: what is said of the whole, metrics, and then what
 * cubex_program.c and cubex_system.c write.  See cubex_file.h.
 */
#include "cubex/cubex_file.h"

#include "print/print.h"

#include <inttypes.h>
#include <stdlib.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

#define ANCHOR_NAME  "anchor.xml"
#define CUBE_VERSION "4.4" /* of the anchor's syntax */

static void write_run_facts(const struct cubex *cubex, struct cubex_xml *xml)
{
    const struct summary *summary = cubex->summary;
    struct text key = {0};
    for (size_t i = 0; i < summary->fact_count; i++) {
        text_clear(&key);
        text_addf(&key, "tsprof::%s", summary->facts[i].key);
        xml_fact(xml, text_string(&key), summary->facts[i].value);
    }
    text_free(&key);
    xml_fact(xml, "tsprof::state", summary->state == FORMAT_COMPLETE ? "complete" : "partial");
}

/* How the iterations that are kept apart were compressed, on all locations together. */
static void write_compression_facts(const struct cubex *cubex, struct cubex_xml *xml)
{
    struct cubex_span span = cubex_series_span(cubex->series);
    uint32_t phase = cubex_series_phase(cubex->series);
    uint64_t asked = 0, lost = 0, unmapped = 0;
    const char *method = "";
    if (cubex_series_how(cubex->series) == CUBEX_SUM)
        return;
    for (size_t c = 0; c < cubex->column_count; c++) {
        const struct series *series =
            location_series(&cubex->summary->locations[cubex->columns[c]], phase);
        if (!series)
            continue;
        method = series->clustering;
        asked = series->asked > asked ? series->asked : asked;
        lost += series->lost;
        unmapped += series->unmapped;
    }
    xml_fact(xml, "tsprof::phase", cubex->summary->phases[phase].name);
    xml_count_fact(xml, "tsprof::first iteration", span.first);
    xml_count_fact(xml, "tsprof::iterations", span.count);
    xml_fact(xml, "tsprof::clustering", method);
    xml_count_fact(xml, "tsprof::clusters asked for", asked);
    xml_count_fact(xml, "tsprof::iterations lost", lost);
    xml_count_fact(xml, "tsprof::iterations not mapped", unmapped);
}

/* The map may have millions of numbers, so this is not text_addf. */
static void add_digits(struct text *text, uint32_t value)
{
    char digits[10];
    size_t first = sizeof digits;
    do
        digits[--first] = (char)('0' + value % 10);
    while (value /= 10);
    text_add_bytes(text, digits + first, sizeof digits - first);
}

/* Writes one number for each process up to the last.  Processes that are not in the file get
 * the number of the first one, which is never shown for them. */
static void write_mapping_row(const struct cubex *cubex, struct cubex_xml *xml, uint64_t number,
                              const uint32_t *blocks, struct text *row)
{
    char key[48];
    uint32_t rank = 0;
    text_clear(row);
    for (size_t r = 0; r < cubex->selection->rank_count; r++)
        for (; rank <= cubex->selection->ranks[r].rank; rank++) {
            bool own = rank == cubex->selection->ranks[r].rank;
            text_add(row, rank ? "," : "");
            add_digits(row, cubex->tree.block_nodes[blocks[own ? r : 0]]);
        }
    snprintf(key, sizeof key, "CLUSTER MAPPING %" PRIu64, number);
    xml_fact(xml, key, text_string(row));
}

/* What makes CubeLib replace clusters by iterations. */
static void write_mapping(const struct cubex *cubex, struct cubex_xml *xml)
{
    struct cubex_span span = cubex_series_span(cubex->series);
    size_t processes = cubex->selection->rank_count;
    if (cubex_series_how(cubex->series) != CUBEX_CLUSTERS)
        return;
    uint32_t *blocks = allocate(processes, sizeof *blocks);
    struct text row = {0};
    xml_fact(xml, "CLUSTERING", "ON");
    xml_count_fact(xml, "CLUSTER ROOT CNODE ID", cubex->tree.holder);
    xml_count_fact(xml, "CLUSTER PROCESS NUM",
                   (uint64_t)cubex->selection->ranks[processes - 1].rank + 1);
    xml_count_fact(xml, "CLUSTER ITERATION COUNT", span.count);
    for (uint64_t i = 0; i < span.count; i++) {
        cubex_series_row(cubex->series, span.first + i, blocks);
        write_mapping_row(cubex, xml, i, blocks, &row);
    }
    text_free(&row);
    free(blocks);
}

static void write_metric(const struct cubex *cubex, struct cubex_xml *xml, size_t metric)
{
    const struct cubex_metrics *metrics = &cubex->metrics;
    const struct cubex_metric *own = &metrics->list[metric];
    xml_open(xml, "metric");
    xml_number(xml, "id", metric);
    xml_attribute(xml, "type", "EXCLUSIVE");
    xml_end_line(xml);
    xml_text(xml, "disp_name", own->shown);
    xml_text(xml, "uniq_name", own->unique);
    xml_text(xml, "dtype", cubex_metric_type(metrics, metric));
    xml_text(xml, "uom", cubex_metric_unit(metrics, metric));
    xml_text(xml, "url", "");
    xml_text(xml, "descr", metrics->summary->metrics[own->source].text);
}

static void write_metrics(const struct cubex *cubex, struct cubex_xml *xml)
{
    const struct cubex_metrics *metrics = &cubex->metrics;
    uint32_t open = SUMMARY_NONE;
    xml_open(xml, "metrics");
    xml_end_line(xml);
    for (uint32_t m = 0; m < metrics->count; open = m++) {
        for (; open != metrics->list[m].parent; open = metrics->list[open].parent)
            xml_close(xml);
        write_metric(cubex, xml, m);
    }
    for (; open != SUMMARY_NONE; open = metrics->list[open].parent)
        xml_close(xml);
    xml_close(xml);
}

/* Writes the document to TAR, or counts its bytes if that is NULL; 0 if out of memory. */
static uint64_t make_document(const struct cubex *cubex, struct tar *tar)
{
    struct cubex_xml *xml = xml_create(tar);
    if (!xml)
        return 0;
    xml_open(xml, "cube");
    xml_attribute(xml, "version", CUBE_VERSION);
    xml_end_line(xml);
    xml_fact(xml, "Cube anchor.xml syntax version", CUBE_VERSION);
    xml_fact(xml, "Creator", "tsprof " PACKAGE_VERSION);
    xml_fact(xml, "CUBE_CT_AGGR", "SUM");
    write_run_facts(cubex, xml);
    write_compression_facts(cubex, xml);
    write_mapping(cubex, xml);
    write_metrics(cubex, xml);
    cubex_write_program(cubex, xml);
    cubex_write_system(cubex, xml);
    xml_close(xml);
    return xml_finish(xml);
}

bool cubex_write_anchor(const struct cubex *cubex, struct tar *tar)
{
    uint64_t bytes = make_document(cubex, NULL);
    bool padded = !tar_size_is_safe(bytes);
    if (!bytes)
        return false;
    tar_begin(tar, ANCHOR_NAME, bytes + padded);
    bool good = make_document(cubex, tar) == bytes;
    if (padded)
        tar_write(tar, "\n", 1);
    tar_end(tar);
    return good;
}
