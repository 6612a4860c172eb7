/* Names and lines of this program's own functions.  Needs its debug information. */
#include "assemble/symbols.h"

#include "host/modmap.h"
#include "host/source_place.h"
#include "tap.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct modmap map;

/* On one line, where it begins is where its code begins. */
/* clang-format off */
enum { LINE_OF_OWN = __LINE__ + 1 };
__attribute__((noipa)) static int own_function(int x) { return x + 1; }
/* clang-format on */

/* As compilers name the unlikely part of a function, and C++ a member of a namespace. */
__attribute__((noipa)) static int split(void) __asm__("split_function.cold");
static int split(void)
{
    return 1;
}

__attribute__((noipa)) static int mangled(void) __asm__("_ZN5heart4beatEi");
static int mangled(void)
{
    return 2;
}

__attribute__((noipa)) static int not_mangled(void) __asm__("_Z_is_no_name_of_C__");
static int not_mangled(void)
{
    return 3;
}

static struct symbol look_up(uintptr_t address)
{
    const struct module *module = modmap_find(&map, address);
    struct symbol symbol;
    symbols_function((struct module_file){module->path, module->build_id},
                     address - module->base, &symbol);
    return symbol;
}

static bool is_named(uintptr_t address, const char *name)
{
    struct symbol symbol = look_up(address);
    bool same = strcmp(symbol.name, name) == 0;
    if (!same)
        printf("# named %s\n", symbol.name);
    symbol_free(&symbol);
    return same;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static void test_a_function_has_a_name_and_a_place(void)
{
    struct symbol symbol = look_up((uintptr_t)own_function + own_function(0));
    OK(strcmp(symbol.name, "own_function") == 0, "its name");
    OK(ends_with(symbol.file, "test_symbols.c"), "its file");
    EQ_INT(symbol.line, LINE_OF_OWN, "its line");
    symbol_free(&symbol);
}

static void test_names_are_those_that_people_know(void)
{
    OK(is_named((uintptr_t)split + (unsigned)(split() - 1), "split_function"),
       "without the compiler's endings");
    OK(is_named((uintptr_t)not_mangled + (unsigned)(not_mangled() - 3), "_Z_is_no_name_of_C__"),
       "what only looks like C++ stays");
    bool demangled =
        is_named((uintptr_t)mangled + (unsigned)(mangled() - 2), "heart::beat(int)");
    OK(demangled || is_named((uintptr_t)mangled, "_ZN5heart4beatEi"),
       "C++ names are readable where its library is there");
}

static void test_a_line_is_found(void)
{
    const struct module *module = modmap_find(&map, (uintptr_t)own_function);
    EQ_INT(symbols_line((struct module_file){module->path, module->build_id},
                        (uintptr_t)own_function - module->base),
           LINE_OF_OWN, "of an address");
    EQ_INT(symbols_line((struct module_file){module->path, module->build_id}, 1), 0,
           "none where there is no code");
    EQ_INT(symbols_line((struct module_file){"/nonexistent", ""}, 1), 0,
           "none in a file that is not there");
}

static void test_nothing_is_known_of_what_is_not_there(void)
{
    struct symbol symbol;
    symbols_function((struct module_file){"/nonexistent", ""}, 4096, &symbol);
    OK(!*symbol.name && !*symbol.file && symbol.line == 0, "a file that does not exist");
    symbol_free(&symbol);
    symbols_function((struct module_file){"/proc/self/status", ""}, 4096, &symbol);
    OK(!*symbol.name && !*symbol.file && symbol.line == 0, "a file that is no module");
    symbol_free(&symbol);
    symbols_function((struct module_file){"", ""}, 4096, &symbol);
    OK(!*symbol.name, "no file");
    symbol_free(&symbol);
    char pipe[] = "/tmp/tsprof-pipe-XXXXXX";
    int place = mkstemp(pipe);
    OK(place >= 0 && unlink(pipe) == 0 && mkfifo(pipe, 0600) == 0, "a pipe");
    symbols_function((struct module_file){pipe, ""}, 4096, &symbol);
    OK(!*symbol.name, "is not waited for");
    symbol_free(&symbol);
    unlink(pipe);
    close(place);
}

/* With the debug information of the system installed there would be a file and a line. */
static void test_the_c_library_has_names_only(void)
{
    struct symbol symbol = look_up((uintptr_t)dlsym(RTLD_DEFAULT, "lfind"));
    OK(strcmp(symbol.name, "lfind") == 0, "its function is named");
    OK(!*symbol.file && symbol.line == 0, "and nothing else");
    symbol_free(&symbol);
    OK(symbols_is_c_library("/usr/lib/x86_64-linux-gnu/libc.so.6"), "the C library");
    OK(symbols_is_c_library("/lib/x86_64-linux-gnu/libm.so.6"), "its mathematics");
    OK(symbols_is_c_library("/lib64/ld-linux-x86-64.so.2"), "the loader");
    OK(symbols_is_tsprof("/opt/tsprof/libtsprof.so") &&
           symbols_is_tsprof("libtsprof-openmpi.so"),
       "tsprof itself");
    OK(!symbols_is_tsprof("/opt/libtsprofile.so") && !symbols_is_tsprof("libtsprof"),
       "what is only called nearly so is not");
    OK(!symbols_is_c_library("/opt/libc.so.6/libapp.so") && !symbols_is_c_library("a.out"),
       "not what has such a directory, or no directory");
}

static void test_a_file_that_was_replaced_says_nothing(void)
{
    const struct module *module = modmap_find(&map, (uintptr_t)own_function);
    const struct module_file other = {module->path, "0123456789abcdef"};
    uint64_t offset = (uintptr_t)own_function - module->base;
    struct symbol symbol;
    symbols_function(other, offset, &symbol);
    OK(!*symbol.name && !*symbol.file, "the path is the same, the build id is not");
    EQ_INT(symbols_line(other, offset), 0, "nor is there a line");
    symbol_free(&symbol);
}

static void test_an_address_is_described(void)
{
    char text[256];
    source_place((uintptr_t)own_function, text, sizeof text);
    OK(strncmp(text, "own_function (test_symbols.c:", 29) == 0, "%s", text);
    source_place(16, text, sizeof text);
    OK(strcmp(text, "0x10") == 0, "%s", text);
}

int main(void)
{
    modmap_load(&map);
    test_a_function_has_a_name_and_a_place();
    test_names_are_those_that_people_know();
    test_a_line_is_found();
    test_nothing_is_known_of_what_is_not_there();
    test_the_c_library_has_names_only();
    test_a_file_that_was_replaced_says_nothing();
    test_an_address_is_described();
    symbols_close();
    modmap_free(&map);
    return tap_done();
}
