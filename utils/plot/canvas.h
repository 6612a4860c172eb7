/*
 * Draws pictures of lines, areas, texts and images, in one of several file formats.
 *
 * Lengths are in 1/96 inch; the origin is the upper left corner.  Texts may contain anything:
 * they are escaped here.  canvas_close reports errors.
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
    enum anchor anchor; /* which end of the text is at the given point */
    bool upwards;       /* turned, from bottom to top */
    rgb color;
};

/* An image: the index in the palette of each pixel, row by row from the top. */
struct raster {
    const struct palette *palette;
    size_t columns, rows;
    uint8_t *pixels;
};

/* A file format. */
struct canvas_format {
    const char *name;    /* as --format takes it and as file names end */
    const char *missing; /* the library that tsprof was built without; NULL: none is missing */
    struct canvas *(*open)(FILE *stream, double width, double height);
};

/* The format called NAME; NULL if there is none. */
const struct canvas_format *canvas_format_find(const char *name);

/* Ends the picture and frees the canvas.  False, and ERROR, if it could not be written. */
bool canvas_close(struct canvas *canvas, struct error *error);

/* Describes the picture, for people who cannot see it.  Call once, before anything is drawn. */
void canvas_describe(struct canvas *canvas, const char *title, const char *description);

/*
 * Begins a group, called CLASS, of everything drawn until canvas_end_group.  ATTRIBUTES is ""
 * or further XML attributes, beginning with a blank; they must not contain anything from a
 * file.
 */
void canvas_begin_group(struct canvas *canvas, const char *class, const char *attributes);
void canvas_end_group(struct canvas *canvas);

/* A path: give its points one by one, then draw it with stroke or fill, which ends it. */
void canvas_move(struct canvas *canvas, double x, double y);
void canvas_line(struct canvas *canvas, double x, double y);
void canvas_stroke(struct canvas *canvas, rgb color, double width);
void canvas_fill(struct canvas *canvas, rgb color);

void canvas_rectangle(struct canvas *canvas, double x, double y, double width, double height,
                      rgb color);

void canvas_text(struct canvas *canvas, double x, double y, const struct font *font,
                 const char *text);
/* The largest width that TEXT may have. */
double canvas_text_width(struct canvas *canvas, const struct font *font, const char *text);
/* Puts TEXT into SHORTENED, without as much of its middle as is needed to fit into WIDTH. */
struct text;
void canvas_shorten(struct canvas *canvas, const struct font *font, const char *text,
                    double width, struct text *shortened);

/* Draws RASTER, stretched over a rectangle, without interpolation. */
void canvas_image(struct canvas *canvas, double x, double y, double width, double height,
                  const struct raster *raster);

#endif
