/*
 * What pictures are drawn on: lines, areas, texts and images, in one of several file formats.
 *
 * The unit of length is 1/96 inch; the origin is the upper left corner.  Texts may hold
 * anything: they are escaped here.  Errors stay until canvas_close.
 */
#ifndef TSPROF_CANVAS_H
#define TSPROF_CANVAS_H

#include "base/base.h"
#include "plot/plot_colors.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Pixels of an image for each unit of length: 192 to an inch. */
#define CANVAS_PIXELS 2

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

struct font {
    double size;
    bool bold;
    enum anchor anchor; /* which part of the text is at the point given */
    bool upwards;       /* written from below to above */
    rgb color;
};

/* Colours of pixels by number, row after row from above. */
struct raster {
    const struct palette *palette;
    size_t columns, rows;
    uint8_t *pixels;
};

/* A format that files may have. */
struct canvas_format {
    const char *name;    /* what --format takes, and the end of a file's name */
    const char *missing; /* the library that this tsprof was built without; NULL: none */
    struct canvas *(*open)(FILE *stream, double width, double height);
};

/* The format called NAME; NULL if there is none. */
const struct canvas_format *canvas_format_find(const char *name);

/* Ends a picture; false, and ERROR, if it could not be written.  Takes the canvas away. */
bool canvas_close(struct canvas *canvas, struct error *error);

/* What the picture shows, for those who cannot see it.  Once, first. */
void canvas_describe(struct canvas *canvas, const char *title, const char *description);

/*
 * What is drawn until canvas_end_group belongs together, by the name CLASS.  ATTRIBUTES: "" or
 * further ones in XML, beginning with a blank, with nothing in them that comes from a file.
 */
void canvas_begin_group(struct canvas *canvas, const char *class, const char *attributes);
void canvas_end_group(struct canvas *canvas);

/* A path is described point by point, then drawn, with which it ends. */
void canvas_move(struct canvas *canvas, double x, double y);
void canvas_line(struct canvas *canvas, double x, double y);
void canvas_stroke(struct canvas *canvas, rgb color, double width);
void canvas_fill(struct canvas *canvas, rgb color);

void canvas_rectangle(struct canvas *canvas, double x, double y, double width, double height,
                      rgb color);

void canvas_text(struct canvas *canvas, double x, double y, const struct font *font,
                 const char *text);
/* How long TEXT will be, at most. */
double canvas_text_width(struct canvas *canvas, const struct font *font, const char *text);
/* TEXT, less as much of its middle as must go for it to be no longer than WIDTH; in SHORT. */
struct text;
void canvas_shorten(struct canvas *canvas, const struct font *font, const char *text,
                    double width, struct text *shortened);

/* RASTER stretched over a rectangle, without any blending of its pixels. */
void canvas_image(struct canvas *canvas, double x, double y, double width, double height,
                  const struct raster *raster);

#endif
