/* hooks.c: a library that listens to instrumented functions for itself: to all that they tell,
 * or with -DONLY_ENTER or -DONLY_EXIT to a half of it. */
void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);
int hooks_heard(void);

static int heard;

#ifndef ONLY_EXIT
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function,
                                                                      void *site)
{
    (void)function;
    (void)site;
    heard++;
}
#endif

#ifndef ONLY_ENTER
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function;
    (void)site;
    heard++;
}
#endif

__attribute__((no_instrument_function)) int hooks_heard(void)
{
    return heard;
}
