/*
 * Pictures as PNG and PDF, drawn by cairo.  Its simple text functions are enough, since names
 * are short and lie beside each other; what they cannot do is to take a character from another
 * font, so characters that the font lacks are shown by their numbers.  See canvas.h.
 */
#include "base/base.h"
#include "plot/canvas_backend.h"
#include "print/print.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <stdlib.h>
#include <string.h>

#define FAMILY "sans-serif"
/* Of PDF's unit, 1/72 inch, in ours. */
#define POINT 0.75

struct drawing {
    struct canvas canvas;
    FILE *stream;
    cairo_surface_t *surface;
    cairo_t *cairo;
    bool is_png;
};

static struct drawing *drawing_of(struct canvas *canvas)
{
    return (struct drawing *)canvas;
}

static cairo_status_t write_bytes(void *stream, const unsigned char *bytes, unsigned size)
{
    return fwrite(bytes, 1, size, stream) == size ? CAIRO_STATUS_SUCCESS
                                                  : CAIRO_STATUS_WRITE_ERROR;
}

static void set_color(cairo_t *cairo, rgb color)
{
    cairo_set_source_rgb(cairo, (color >> 16 & 0xff) / 255.0, (color >> 8 & 0xff) / 255.0,
                         (color & 0xff) / 255.0);
}

static void describe(struct canvas *canvas, const char *title, const char *description)
{
    struct drawing *drawing = drawing_of(canvas);
    if (drawing->is_png)
        return;
    cairo_pdf_surface_set_metadata(drawing->surface, CAIRO_PDF_METADATA_TITLE, title);
    cairo_pdf_surface_set_metadata(drawing->surface, CAIRO_PDF_METADATA_SUBJECT, description);
}

/* There are no groups in these formats. */
static void begin_group(struct canvas *canvas, const char *class, const char *attributes)
{
    (void)canvas;
    (void)class;
    (void)attributes;
}

static void end_group(struct canvas *canvas)
{
    (void)canvas;
}

static void move(struct canvas *canvas, double x, double y)
{
    cairo_move_to(drawing_of(canvas)->cairo, x, y);
}

static void line(struct canvas *canvas, double x, double y)
{
    cairo_line_to(drawing_of(canvas)->cairo, x, y);
}

static void stroke(struct canvas *canvas, rgb color, double width)
{
    cairo_t *cairo = drawing_of(canvas)->cairo;
    set_color(cairo, color);
    cairo_set_line_width(cairo, width);
    cairo_stroke(cairo);
}

static void fill(struct canvas *canvas, rgb color)
{
    cairo_t *cairo = drawing_of(canvas)->cairo;
    set_color(cairo, color);
    cairo_fill(cairo);
}

static void set_font(cairo_t *cairo, const struct font *font)
{
    cairo_select_font_face(cairo, FAMILY, CAIRO_FONT_SLANT_NORMAL,
                           font->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, font->size);
}

/* Does the font have the character of SIZE bytes at AT? */
static bool has_glyph(cairo_t *cairo, const char *at, size_t size)
{
    cairo_glyph_t *glyphs = NULL;
    int count = 0;
    cairo_status_t status = cairo_scaled_font_text_to_glyphs(
        cairo_get_scaled_font(cairo), 0, 0, at, (int)size, &glyphs, &count, NULL, NULL, NULL);
    bool has = status == CAIRO_STATUS_SUCCESS && count > 0 && glyphs[0].index != 0;
    cairo_glyph_free(glyphs);
    return has;
}

static size_t character_bytes(const char *at)
{
    size_t size = 1;
    while (((unsigned char)at[size] & 0xc0) == 0x80)
        size++;
    return size;
}

static unsigned code_of(const char *at, size_t size)
{
    unsigned code =
        size == 1 ? (unsigned char)at[0] : (unsigned char)at[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++)
        code = code << 6 | ((unsigned char)at[i] & 0x3f);
    return code;
}

/* TEXT, with \u4e2d in the place of what the font lacks. */
static void add_shown(cairo_t *cairo, const char *text, struct text *shown)
{
    while (*text) {
        size_t size = character_bytes(text);
        if (size == 1 || has_glyph(cairo, text, size))
            text_add_bytes(shown, text, size);
        else
            text_addf(shown, "\\u%04x", code_of(text, size));
        text += size;
    }
}

static double width_of(cairo_t *cairo, const char *shown)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, shown, &extents);
    return extents.x_advance;
}

static double text_width(struct canvas *canvas, const struct font *font, const char *text)
{
    cairo_t *cairo = drawing_of(canvas)->cairo;
    struct text shown = {0};
    set_font(cairo, font);
    add_shown(cairo, text, &shown);
    double width = width_of(cairo, text_string(&shown));
    text_free(&shown);
    return width;
}

static void draw_text(struct canvas *canvas, double x, double y, const struct font *font,
                      const char *text)
{
    static const double shares[] = {
        [ANCHOR_START] = 0, [ANCHOR_MIDDLE] = 0.5, [ANCHOR_END] = 1};
    cairo_t *cairo = drawing_of(canvas)->cairo;
    struct text shown = {0};
    set_font(cairo, font);
    add_shown(cairo, text, &shown);
    cairo_save(cairo);
    cairo_move_to(cairo, x, y);
    if (font->upwards)
        cairo_rotate(cairo, -3.14159265358979323846 / 2);
    cairo_rel_move_to(cairo, -shares[font->anchor] * width_of(cairo, text_string(&shown)), 0);
    set_color(cairo, font->color);
    cairo_show_text(cairo, text_string(&shown));
    cairo_restore(cairo);
    cairo_new_path(cairo);
    text_free(&shown);
}

/* RASTER as an image of cairo's. */
static cairo_surface_t *make_image(const struct raster *raster)
{
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)raster->columns, (int)raster->rows);
    unsigned char *bytes = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    if (!bytes)
        return image;
    cairo_surface_flush(image);
    for (size_t y = 0; y < raster->rows; y++)
        for (size_t x = 0; x < raster->columns; x++) {
            uint32_t pixel = raster->palette->colors[raster->pixels[y * raster->columns + x]];
            memcpy(bytes + y * (size_t)stride + 4 * x, &pixel, sizeof pixel);
        }
    cairo_surface_mark_dirty(image);
    return image;
}

static void image(struct canvas *canvas, double x, double y, double width, double height,
                  const struct raster *raster)
{
    cairo_t *cairo = drawing_of(canvas)->cairo;
    cairo_surface_t *pixels = make_image(raster);
    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    cairo_scale(cairo, width / (double)raster->columns, height / (double)raster->rows);
    cairo_set_source_surface(cairo, pixels, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cairo, 0, 0, (double)raster->columns, (double)raster->rows);
    cairo_fill(cairo);
    cairo_restore(cairo);
    cairo_surface_destroy(pixels);
}

static bool close_drawing(struct canvas *canvas, struct error *error)
{
    struct drawing *drawing = drawing_of(canvas);
    cairo_status_t status = cairo_status(drawing->cairo);
    cairo_destroy(drawing->cairo);
    if (status == CAIRO_STATUS_SUCCESS && drawing->is_png)
        status =
            cairo_surface_write_to_png_stream(drawing->surface, write_bytes, drawing->stream);
    cairo_surface_finish(drawing->surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(drawing->surface);
    cairo_surface_destroy(drawing->surface);
    free(drawing);
    return status == CAIRO_STATUS_SUCCESS ||
           error_set(error, "the picture cannot be written: %s",
                     cairo_status_to_string(status));
}

static const struct canvas_backend backend = {
    describe, begin_group, end_group,  move,  line,          stroke,
    fill,     draw_text,   text_width, image, close_drawing,
};

static struct canvas *open_drawing(FILE *stream, cairo_surface_t *surface, bool is_png,
                                   double scale)
{
    struct drawing *drawing = allocate(1, sizeof *drawing);
    *drawing = (struct drawing){{&backend}, stream, surface, cairo_create(surface), is_png};
    cairo_scale(drawing->cairo, scale, scale);
    return &drawing->canvas;
}

static struct canvas *open_png(FILE *stream, double width, double height)
{
    return open_drawing(stream,
                        cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                                   (int)(width * CANVAS_PIXELS),
                                                   (int)(height * CANVAS_PIXELS)),
                        true, CANVAS_PIXELS);
}

static struct canvas *open_pdf(FILE *stream, double width, double height)
{
    return open_drawing(
        stream,
        cairo_pdf_surface_create_for_stream(write_bytes, stream, width * POINT, height * POINT),
        false, POINT);
}

const struct canvas_format canvas_png = {"png", NULL, open_png};
const struct canvas_format canvas_pdf = {"pdf", NULL, open_pdf};
