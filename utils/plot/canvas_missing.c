/* In the place of PNG and PDF where tsprof was built without cairo. */
#include "plot/canvas_backend.h"

const struct canvas_format canvas_png = {"png", "cairo", NULL};
const struct canvas_format canvas_pdf = {"pdf", "cairo", NULL};
