/*
 * Colours of pictures: for values along a scale, and for things that are told apart.  Made to
 * be told apart by people who see fewer colours, and in print without any.  Pure arithmetic.
 */
#ifndef TSPROF_PLOT_COLORS_H
#define TSPROF_PLOT_COLORS_H

#include <stddef.h>
#include <stdint.h>

/* 0xrrggbb, sRGB. */
typedef uint32_t rgb;

#define COLOR_BLACK 0x000000u
#define COLOR_WHITE 0xffffffu
#define COLOR_TEXT  0x222222u
#define COLOR_FRAME 0x555555u
#define COLOR_GRID  0xdddddd
#define COLOR_NONE  0xc8c8c8u /* there is no value */

/*
 * Colours that remain distinct for people who see fewer: seven of M. Okabe and K. Ito, "Color
 * Universal Design", 2002, and three that are as far from them, and from each other, as those
 * are.  page/test/colours.test.ts tells how far that is.
 */
#define COLOR_ORANGE    0xe69f00u
#define COLOR_SKY       0x56b4e9u
#define COLOR_GREEN     0x009e73u
#define COLOR_YELLOW    0xf0e442u
#define COLOR_BLUE      0x0072b2u
#define COLOR_VERMILION 0xd55e00u
#define COLOR_PURPLE    0xcc79a7u
#define COLOR_VIOLET    0x7217e6u
#define COLOR_PLUM      0xa42f6eu
#define COLOR_PALE      0xc3ddd1u

/* The colours of a picture of values: [COLOR_MISSING] stands for none, the rest is the scale.
 */
#define PALETTE_SIZE  256
#define COLOR_MISSING 0
#define COLOR_STEPS   (PALETTE_SIZE - 1)

struct palette {
    rgb colors[PALETTE_SIZE];
};

/* From light (low) to dark (high); the same step looks the same everywhere. */
void palette_sequential(struct palette *palette);
/* From blue over white, which is in the middle, to brown. */
void palette_diverging(struct palette *palette);

/* The index of what lies at SHARE (0 to 1) of the scale; COLOR_MISSING for NaN. */
uint8_t palette_index(double share);

/* How light it looks: 0 to 1 (the L of Oklab). */
double color_lightness(rgb color);
/* How different two look (the distance in Oklab). */
double color_difference(rgb a, rgb b);

#endif
