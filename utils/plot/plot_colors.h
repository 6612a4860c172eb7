/*
 * The colours of pictures: scales for values, and distinct colours for categories.  They can be
 * told apart by people with colour-vision deficiencies, and scales also in black and white.
 * Pure arithmetic.
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
#define COLOR_NONE  0xe5e7ebu /* stands for a missing value */
/* Of values that lie below and above a scale, as in page/src/ui/colours.ts. */
#define COLOR_TOO_SMALL 0x000000u
#define COLOR_TOO_LARGE 0xff00ffu

/*
 * Colours that people with colour-vision deficiencies can tell apart: seven of M. Okabe and K.
 * Ito, "Color Universal Design", 2002, and three that are as different from these, and from
 * each other, as these are.  page/test/colours.test.ts checks how different.
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

/*
 * The colours of a map: [COLOR_MISSING] is for missing values, from 1 on are the COLOR_STEPS of
 * the scale, the last two are for values below and above it.
 */
#define PALETTE_SIZE  256
#define COLOR_MISSING 0
#define COLOR_STEPS   (PALETTE_SIZE - 3)
#define COLOR_BELOW   (PALETTE_SIZE - 2)
#define COLOR_ABOVE   (PALETTE_SIZE - 1)

struct palette {
    rgb colors[PALETTE_SIZE];
};

/* From dark violet (low) to bright yellow (high), perceptually uniform. */
void palette_sequential(struct palette *palette);
/* From blue over white, which is in the middle, to red. */
void palette_diverging(struct palette *palette);

/* The palette index at SHARE of the scale, which goes from 0 to 1; COLOR_MISSING for NaN. */
uint8_t palette_index(double share);

/* The perceived lightness, 0 to 1 (L of Oklab). */
double color_lightness(rgb color);
/* The perceived difference of two colours (distance in Oklab). */
double color_difference(rgb a, rgb b);

#endif
