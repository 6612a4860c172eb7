/*
 * Libraries for test_unload.c: the same code with frames of ROOM bytes, so that what was learnt
 * of one is wrong for another that comes to lie in its place.
 */
#include "unload_plugin.h"

#define ENTRY __attribute__((noipa, visibility("default")))

ENTRY int plugin_inner(void (*look)(void *), void *argument)
{
    volatile char room[ROOM];
    room[0] = 0;
    look(argument);
    return room[0];
}

ENTRY int plugin_outer(void (*look)(void *), void *argument)
{
    volatile char room[ROOM];
    room[0] = 0;
    look(argument);
    return plugin_inner(look, argument) + room[0];
}
