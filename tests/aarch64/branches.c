/*
 * Reads code of A64 from the standard input and prints where each instruction leads that does
 * not just go on, for branches.py: offset, way and target, one line each.
 */
#include "arch/aarch64/instruction.c"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    static const char *const names[] = {[WAY_ON] = "on",
                                        [WAY_BRANCH] = "branch",
                                        [WAY_JUMP] = "jump",
                                        [WAY_END] = "end",
                                        [WAY_ANYWHERE] = "anywhere"};
    size_t size = 0, room = 1 << 20;
    unsigned char *code = malloc(room);
    for (size_t got; code && (got = fread(code + size, 1, room - size, stdin)) > 0;) {
        size += got;
        if (size == room)
            code = realloc(code, room *= 2);
    }
    struct instruction read;
    for (size_t at = 0; code && at + 4 <= size; at += 4) {
        if (!instruction_read(code, size, at, &read))
            printf("%zx bad\n", at);
        else if (read.target != INSTRUCTION_NOWHERE)
            printf("%zx %s %x\n", at, names[read.way], read.target);
        else if (read.way != WAY_ON)
            printf("%zx %s\n", at, names[read.way]);
    }
    free(code);
    return 0;
}
