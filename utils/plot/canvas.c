/* Drawing, whatever the format of the file.  See canvas.h. */
#include "plot/canvas.h"

#include "plot/canvas_backend.h"
#include "print/print.h"

#include <string.h>

static const struct canvas_format svg = {"svg", NULL, canvas_open_svg};

static const struct canvas_format *const formats[] = {&svg, &canvas_png, &canvas_pdf};

const struct canvas_format *canvas_format_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

bool canvas_close(struct canvas *canvas, struct error *error)
{
    return canvas->backend->close(canvas, error);
}

void canvas_describe(struct canvas *canvas, const char *title, const char *description)
{
    struct text safe_title = {0}, safe_description = {0};
    text_add_escaped(&safe_title, title);
    text_add_escaped(&safe_description, description);
    canvas->backend->describe(canvas, text_string(&safe_title), text_string(&safe_description));
    text_free(&safe_title);
    text_free(&safe_description);
}

void canvas_begin_group(struct canvas *canvas, const char *class, const char *attributes)
{
    canvas->backend->begin_group(canvas, class, attributes);
}

void canvas_end_group(struct canvas *canvas)
{
    canvas->backend->end_group(canvas);
}

void canvas_move(struct canvas *canvas, double x, double y)
{
    canvas->backend->move(canvas, x, y);
}

void canvas_line(struct canvas *canvas, double x, double y)
{
    canvas->backend->line(canvas, x, y);
}

void canvas_stroke(struct canvas *canvas, rgb color, double width)
{
    canvas->backend->stroke(canvas, color, width);
}

void canvas_fill(struct canvas *canvas, rgb color)
{
    canvas->backend->fill(canvas, color);
}

void canvas_rectangle(struct canvas *canvas, double x, double y, double width, double height,
                      rgb color)
{
    canvas_move(canvas, x, y);
    canvas_line(canvas, x + width, y);
    canvas_line(canvas, x + width, y + height);
    canvas_line(canvas, x, y + height);
    canvas_fill(canvas, color);
}

void canvas_text(struct canvas *canvas, double x, double y, const struct font *font,
                 const char *text)
{
    struct text safe = {0};
    text_add_escaped(&safe, text);
    canvas->backend->text(canvas, x, y, font, text_string(&safe));
    text_free(&safe);
}

double canvas_text_width(struct canvas *canvas, const struct font *font, const char *text)
{
    struct text safe = {0};
    text_add_escaped(&safe, text);
    double width = canvas->backend->text_width(canvas, font, text_string(&safe));
    text_free(&safe);
    return width;
}

void canvas_shorten(struct canvas *canvas, const struct font *font, const char *text,
                    double width, struct text *shortened)
{
    struct text whole = {0};
    text_add_escaped(&whole, text);
    size_t low = 1, high = text_columns(text_string(&whole));
    /* The most columns that fit; one always does. */
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        text_clear(shortened);
        text_add_shortened(shortened, text_string(&whole), middle);
        if (canvas_text_width(canvas, font, text_string(shortened)) <= width)
            low = middle;
        else
            high = middle - 1;
    }
    text_clear(shortened);
    text_add_shortened(shortened, text_string(&whole), low);
    text_free(&whole);
}

void canvas_image(struct canvas *canvas, double x, double y, double width, double height,
                  const struct raster *raster)
{
    canvas->backend->image(canvas, x, y, width, height, raster);
}
