/* Where ranks are: on which host, and in which socket of it. */
#ifndef TSPROF_NETWORK_PLACES_H
#define TSPROF_NETWORK_PLACES_H

/* How far two ranks are from each other; the names are those of the file's sections. */
enum distance { BETWEEN_CORES, BETWEEN_SOCKETS, BETWEEN_HOSTS, DISTANCES };
extern const char *const distance_names[DISTANCES];

/* Called by all ranks of MPI_COMM_WORLD: of each distance a rank that is so far from rank 0; -1
 * if there is none. */
void find_partners(int partners[DISTANCES]);

#endif
