/* See otf2.h. */
#include "archive/otf2.h"

#include "archive/safe_writes.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

/* Names under which the loader may know the library: Debian's, and that of its authors. */
static const char *const usual_files[] = {"libopen-trace-format2.so.10", "libotf2.so.10",
                                          "libotf2.so.11", "libotf2.so.12", "libotf2.so"};

static struct otf2 otf2;
static char last_error[512];

static const struct {
    const char *name;
    void **place;
} functions[] = {
#define OTF2_FUNCTION(name) {"OTF2_" #name, (void **)&otf2.name},
#include "archive/otf2.def"
#undef OTF2_FUNCTION
};

/* Instead of what the library prints. */
static OTF2_ErrorCode note_error(void *user_data, const char *file, uint64_t line,
                                 const char *function, OTF2_ErrorCode code, const char *format,
                                 va_list arguments)
{
    (void)user_data, (void)file, (void)line;
    const int used = snprintf(last_error, sizeof last_error, "%s: ", function);
    vsnprintf(last_error + used, sizeof last_error - (size_t)used, format, arguments);
    return code;
}

const char *otf2_error(void)
{
    static char said[sizeof last_error];
    snprintf(said, sizeof said, "%s", last_error);
    last_error[0] = '\0';
    return said;
}

static void *open_library(const char *path)
{
    if (*path)
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof usual_files / sizeof *usual_files; i++)
        library = dlopen(usual_files[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

const struct otf2 *otf2_load(const char *path, const char **why)
{
    void *library = open_library(path);
    *why = library ? NULL : dlerror();
    for (size_t i = 0; library && i < sizeof functions / sizeof *functions; i++) {
        *functions[i].place = dlsym(library, functions[i].name);
        if (!*functions[i].place) {
            *why = dlerror();
            return NULL;
        }
    }
    if (library && !safe_writes_install(library)) {
        *why = "the OTF2 library writes files in a way that is not known";
        return NULL;
    }
    if (library)
        otf2.Error_RegisterCallback(note_error, NULL);
    return library ? &otf2 : NULL;
}
