/* The anchor's XML, by libxml2.  See cubex_xml.h. */
#include "cubex/cubex_xml.h"

#include "base/base.h"
#include "print/print.h"

#include <inttypes.h>
#include <libxml/xmlwriter.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 24

struct cubex_xml {
    struct tar *tar;
    uint64_t bytes;
    xmlTextWriterPtr writer;
    struct text scratch;
    bool failed;
};

static int take_bytes(void *context, const char *bytes, int count)
{
    struct cubex_xml *xml = context;
    xml->bytes += (uint64_t)count;
    if (xml->tar)
        tar_write(xml->tar, bytes, (size_t)count);
    return count;
}

static int take_end(void *context)
{
    (void)context;
    return 0;
}

static void check(struct cubex_xml *xml, int result)
{
    xml->failed |= result < 0;
}

/*
 * STRING with everything escaped that XML cannot hold: control characters and invalid UTF-8 as
 * \xNN, as on a terminal, and U+FFFE and U+FFFF as the replacement character.
 */
static const xmlChar *clean(struct cubex_xml *xml, const char *string)
{
    text_clear(&xml->scratch);
    text_add_escaped(&xml->scratch, string);
    for (char *at = xml->scratch.bytes; at && (at = strstr(at, "\xef\xbf")); at += 2)
        if (at[2] == '\xbe' || at[2] == '\xbf')
            at[2] = '\xbd';
    return (const xmlChar *)text_string(&xml->scratch);
}

struct cubex_xml *xml_create(struct tar *tar)
{
    struct cubex_xml *xml = allocate(1, sizeof *xml);
    xml->tar = tar;
    xmlOutputBufferPtr buffer = xmlOutputBufferCreateIO(take_bytes, take_end, xml, NULL);
    xml->writer = buffer ? xmlNewTextWriter(buffer) : NULL;
    if (!xml->writer) {
        free(xml);
        return NULL;
    }
    check(xml, xmlTextWriterStartDocument(xml->writer, "1.0", "UTF-8", NULL));
    return xml;
}

uint64_t xml_finish(struct cubex_xml *xml)
{
    check(xml, xmlTextWriterEndDocument(xml->writer));
    xmlFreeTextWriter(xml->writer);
    uint64_t bytes = xml->failed ? 0 : xml->bytes;
    text_free(&xml->scratch);
    free(xml);
    return bytes;
}

void xml_open(struct cubex_xml *xml, const char *name)
{
    check(xml, xmlTextWriterStartElement(xml->writer, (const xmlChar *)name));
}

void xml_attribute(struct cubex_xml *xml, const char *name, const char *value)
{
    check(xml,
          xmlTextWriterWriteAttribute(xml->writer, (const xmlChar *)name, clean(xml, value)));
}

static const char *digits_of(char digits[DIGITS], uint64_t value)
{
    snprintf(digits, DIGITS, "%" PRIu64, value);
    return digits;
}

void xml_number(struct cubex_xml *xml, const char *name, uint64_t value)
{
    char digits[DIGITS];
    xml_attribute(xml, name, digits_of(digits, value));
}

void xml_end_line(struct cubex_xml *xml)
{
    check(xml, xmlTextWriterWriteRaw(xml->writer, (const xmlChar *)"\n"));
}

void xml_close(struct cubex_xml *xml)
{
    check(xml, xmlTextWriterFullEndElement(xml->writer));
    xml_end_line(xml);
}

void xml_close_with(struct cubex_xml *xml, const char *content)
{
    check(xml, xmlTextWriterWriteString(xml->writer, clean(xml, content)));
    xml_close(xml);
}

void xml_close_empty(struct cubex_xml *xml)
{
    check(xml, xmlTextWriterEndElement(xml->writer));
    xml_end_line(xml);
}

void xml_text(struct cubex_xml *xml, const char *name, const char *text)
{
    xml_open(xml, name);
    xml_close_with(xml, text);
}

void xml_count(struct cubex_xml *xml, const char *name, uint64_t value)
{
    char digits[DIGITS];
    xml_text(xml, name, digits_of(digits, value));
}

void xml_fact(struct cubex_xml *xml, const char *key, const char *value)
{
    xml_open(xml, "attr");
    xml_attribute(xml, "key", key);
    xml_attribute(xml, "value", value);
    xml_close_empty(xml);
}

void xml_count_fact(struct cubex_xml *xml, const char *key, uint64_t value)
{
    char digits[DIGITS];
    xml_fact(xml, key, digits_of(digits, value));
}
