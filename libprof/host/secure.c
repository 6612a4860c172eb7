/* See secure.h. */
#include "host/secure.h"

#include <sys/auxv.h>

bool secure_process(void)
{
    return getauxval(AT_SECURE) != 0;
}
