/*
 * Writes XML as CubeLib can read it.  CubeLib's grammar is narrower than XML: elements and
 * attributes have a fixed order, an element that may have text is never written as <empty/>,
 * every element begins a line, and character references by number are not understood.
 */
#ifndef TSPROF_CUBEX_XML_H
#define TSPROF_CUBEX_XML_H

#include "cubex/tar.h"

#include <stdbool.h>
#include <stdint.h>

struct cubex_xml;

/* Starts a document in the open member of TAR; with NULL its bytes are only counted.  NULL if
 * there is no memory. */
struct cubex_xml *xml_create(struct tar *tar);

/* Ends the document; returns its size in bytes, 0 if there was no memory. */
uint64_t xml_finish(struct cubex_xml *xml);

/* Writes <NAME.  Then come its attributes, xml_end_line, its content, and xml_close. */
void xml_open(struct cubex_xml *xml, const char *name);
void xml_attribute(struct cubex_xml *xml, const char *name, const char *value);
void xml_number(struct cubex_xml *xml, const char *name, uint64_t value);
void xml_end_line(struct cubex_xml *xml);
void xml_close(struct cubex_xml *xml);

/* Instead of xml_end_line and xml_close: for an element with text, or without content
 * (<name/>). */
void xml_close_with(struct cubex_xml *xml, const char *content);
void xml_close_empty(struct cubex_xml *xml);

/* <NAME>TEXT</NAME> */
void xml_text(struct cubex_xml *xml, const char *name, const char *text);
void xml_count(struct cubex_xml *xml, const char *name, uint64_t value);

/* <attr key="KEY" value="VALUE"/> */
void xml_fact(struct cubex_xml *xml, const char *key, const char *value);
void xml_count_fact(struct cubex_xml *xml, const char *key, uint64_t value);

#endif
