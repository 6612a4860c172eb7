/* See effect.h. */
#include "arch/aarch64/effect.h"

void effect_read(const unsigned char *code, struct effect *effect)
{
    (void)code;
    *effect = (struct effect){.kind = EFFECT_ANY};
}
