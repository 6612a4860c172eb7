/* The library that instrumented.c loads.  Its function calls FUNCTION and returns 1, a visit.
 */
long loaded(void (*function)(void));

long loaded(void (*function)(void))
{
    function();
    return 1;
}
