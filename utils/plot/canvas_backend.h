/*
 * A file format, as canvas.c sees it: a table of functions.  Texts are escaped
 * (text_add_escaped) before they get here.
 */
#ifndef TSPROF_CANVAS_BACKEND_H
#define TSPROF_CANVAS_BACKEND_H

#include "plot/canvas.h"

struct canvas_backend {
    void (*describe)(struct canvas *canvas, const char *title, const char *description);
    void (*begin_group)(struct canvas *canvas, const char *class, const char *attributes);
    void (*end_group)(struct canvas *canvas);
    void (*move)(struct canvas *canvas, double x, double y);
    void (*line)(struct canvas *canvas, double x, double y);
    void (*stroke)(struct canvas *canvas, rgb color, double width);
    void (*fill)(struct canvas *canvas, rgb color);
    void (*text)(struct canvas *canvas, double x, double y, const struct font *font,
                 const char *text);
    double (*text_width)(struct canvas *canvas, const struct font *font, const char *text);
    void (*image)(struct canvas *canvas, double x, double y, double width, double height,
                  const struct raster *raster);
    /* Ends the file and frees the canvas, but leaves the stream open. */
    bool (*close)(struct canvas *canvas, struct error *error);
};

/* The first member of every format's own struct. */
struct canvas {
    const struct canvas_backend *backend;
};

struct canvas *canvas_open_svg(FILE *stream, double width, double height);

/* canvas_cairo.c, or canvas_missing.c in its place. */
extern const struct canvas_format canvas_png, canvas_pdf;

#endif
