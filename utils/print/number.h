/*
 * How exports write numbers: with the same digits in every format.
 */
#ifndef TSPROF_NUMBER_H
#define TSPROF_NUMBER_H

#define NUMBER_SIZE 40

/* Formats VALUE in OUT: whole numbers below 2^63 with all their digits, others with 17
 * significant ones.  Returns OUT. */
const char *number_text(char out[NUMBER_SIZE], long double value);

#endif
