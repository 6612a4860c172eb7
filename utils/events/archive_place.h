/* Where the archive of a job goes that did not end normally: beside its summary. */
#ifndef TSPROF_ARCHIVE_PLACE_H
#define TSPROF_ARCHIVE_PLACE_H

/* The archive beside the summary PATH, NAME.otf2 beside NAME.tsprof; for free(). */
char *archive_place(const char *path);

#endif
