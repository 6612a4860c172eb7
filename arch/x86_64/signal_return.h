/* Where signal handlers return to. */
#ifndef TSPROF_ARCH_SIGNAL_RETURN_H
#define TSPROF_ARCH_SIGNAL_RETURN_H

/*
 * The end of a signal handler whose action was set without the C library; for sa_restorer.
 * Unwinders know these instructions.
 */
void arch_signal_return(void);

/*
 * What the kernel's interface fixes that every such place must do.  Debuggers know it by its
 * bytes, too.
 */
extern const unsigned char arch_signal_return_code[9];

#endif
