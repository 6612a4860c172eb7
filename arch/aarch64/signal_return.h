/* The code that signal handlers return to. */
#ifndef TSPROF_ARCH_SIGNAL_RETURN_H
#define TSPROF_ARCH_SIGNAL_RETURN_H

/*
 * Where a signal handler that was installed without the C library returns to: the value for
 * sa_restorer.  Not to be called.  Unwinders recognise its instructions.
 */
void arch_signal_return(void);

enum {
    /*
     * How far behind the beginning of its call-frame information the kernel's own such code
     * begins.
     */
    ARCH_SIGNAL_RETURN_OFFSET = 4
};

/*
 * The instructions that every such function consists of, fixed by the kernel's interface.
 * Debuggers recognise a signal frame by these bytes, too.
 */
extern const unsigned char arch_signal_return_code[8];

#endif
