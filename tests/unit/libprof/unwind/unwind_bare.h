/* Functions without call-frame information: each calls CALL. */
#ifndef TSPROF_UNWIND_BARE_H
#define TSPROF_UNWIND_BARE_H

int bare_inner(void (*call)(void), int x);
int bare_outer(void (*call)(void), int x);
void assembly_framed(void (*call)(void));
void assembly_bare(void (*call)(void));

/* Code to be copied to where there is no module, as compilers at run time do. */
enum { GENERATED_BYTES = 16 };
extern const unsigned char generated_framed[GENERATED_BYTES];
extern const unsigned char generated_bare[GENERATED_BYTES];

#endif
