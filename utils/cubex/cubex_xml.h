/*
 * XML as CubeLib reads it: with a grammar of its own, which is narrower than XML.  Elements and
 * attributes come in a fixed order, an element with text never is <empty/>, every element
 * begins a line, and of references to characters only those by name are understood.
 */
#ifndef TSPROF_CUBEX_XML_H
#define TSPROF_CUBEX_XML_H

#include "cubex/tar.h"

#include <stdbool.h>
#include <stdint.h>

struct cubex_xml;

/* A document that is appended to the open member of TAR, or only counted if that is NULL.  NULL
 * if memory is out. */
struct cubex_xml *xml_create(struct tar *tar);

/* Ends the document; returns its bytes, 0 if memory was out. */
uint64_t xml_finish(struct cubex_xml *xml);

/* <NAME, then attributes, then xml_end_line and what is in it, then xml_close. */
void xml_open(struct cubex_xml *xml, const char *name);
void xml_attribute(struct cubex_xml *xml, const char *name, const char *value);
void xml_number(struct cubex_xml *xml, const char *name, uint64_t value);
void xml_end_line(struct cubex_xml *xml);
void xml_close(struct cubex_xml *xml);

/* In the place of xml_end_line and xml_close: content that is text, or none (<name/>). */
void xml_close_with(struct cubex_xml *xml, const char *content);
void xml_close_empty(struct cubex_xml *xml);

/* <NAME>TEXT</NAME> */
void xml_text(struct cubex_xml *xml, const char *name, const char *text);
void xml_count(struct cubex_xml *xml, const char *name, uint64_t value);

/* <attr key="KEY" value="VALUE"/> */
void xml_fact(struct cubex_xml *xml, const char *key, const char *value);
void xml_count_fact(struct cubex_xml *xml, const char *key, uint64_t value);

#endif
