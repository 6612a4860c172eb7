/*
 * LogGPS parameters as text: L, o, g, G, S and s.  Times are in seconds, or with one of the
 * units s, ms, us and ns; lengths in bytes, or with k, M or G for powers of 1024, or "inf".
 */
#ifndef TSPROF_PARAMETERS_H
#define TSPROF_PARAMETERS_H

#include "base/base.h"
#include "print/print.h"
#include "whatif/whatif.h"

/* Puts what TEXT says, such as "L=2us,S=64k", into NETWORK; the others stay.  False, and ERROR,
 * if it says something else, or the same parameter twice. */
bool parameters_read(const char *text, struct whatif_network *network, struct error *error);

/* Reads the file PATH, as tsprof-network writes it: of its sections, which begin with a line
 * [NAME], the one called SECTION, or the one that PATH:SECTION names.  Without that section the
 * last one.  False, and ERROR, if it cannot be read. */
bool parameters_read_file(const char *path, const char *section, struct whatif_network *network,
                          struct error *error);

/* Adds "L=2 us, o=..." */
void parameters_add_text(const struct whatif_network *network, struct text *text);

#endif
