/* See symbols.h. */
#include "assemble/symbols.h"

#include "assemble/buildid.h"
#include "assemble/elfutils.h"
#include "assemble/subprograms.h"
#include "assemble/symbol_table.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The address that modules are reported at in a session, so that none starts at 0. */
#define SESSION_BASE UINT64_C(0x100000000)

static char *(*demangle)(const char *, char *, size_t *, int *);

/* One module opened for look-ups; kept until symbols_close. */
struct session {
    bool without_source; /* only names are looked up */
    struct session *next;
    char *path;
    char *build_id;
    Dwfl *dwfl;
    Dwfl_Module *module;
    uint64_t bias; /* session address minus file address */
    struct symbol_table table;
    struct unit *units; /* units whose subprograms have been gathered */
};

static struct session *sessions;

static enum symbols_reading call(void (*work)(void *argument), void *argument)
{
    work(argument);
    return SYMBOLS_WHOLE;
}

static symbols_guard *guarded = call;
static char problem[512]; /* with a file that was truncated */

void symbols_set_guard(symbols_guard *guard)
{
    guarded = guard;
}

static bool load_libraries(void)
{
    static bool tried;
    if (tried)
        return elfutils_load();
    tried = true;
    if (!elfutils_load())
        return false;
    /* C++ programs have loaded this already; other programs have no names to demangle. */
    void *runtime = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    void *symbol = runtime ? dlsym(runtime, "__cxa_demangle") : NULL;
    memcpy(&demangle, &symbol, sizeof symbol);
    return true;
}

void symbols_prepare(void)
{
    load_libraries();
}

const char *symbols_problem(void)
{
    return elfutils_problem() ? elfutils_problem() : *problem ? problem : NULL;
}

static void free_session(struct session *session)
{
    if (session && session->dwfl)
        dw.dwfl_end(session->dwfl);
    if (session) {
        symbol_table_free(&session->table);
        subprograms_free(&session->units);
        free(session->path);
        free(session->build_id);
    }
    free(session);
}

const char *symbols_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool symbols_is_c_library(const char *path)
{
    static const char *const names[] = {"libc.so", "libm.so", "ld-linux"};
    const char *name = symbols_file_name(path);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

bool symbols_is_tsprof(const char *path)
{
    static const char name[] = "libtsprof";
    const char *file = symbols_file_name(path), *rest = file + sizeof name - 1;
    return strncmp(file, name, sizeof name - 1) == 0 && (*rest == '.' || *rest == '-');
}

/*
 * Whether source lines in the module PATH tell users nothing: tsprof's own functions are not
 * shown, and to read where they come from takes as long as all of a large program.
 */
static bool has_dull_source(const char *path)
{
    return symbols_is_c_library(path) || symbols_is_tsprof(path);
}

/* Whether MODULE's file is still the one that was loaded. */
static bool has_build_id(Dwfl_Module *module, const char *wanted)
{
    const unsigned char *bits;
    GElf_Addr address;
    char text[BUILDID_TEXT];
    int length = dw.dwfl_module_build_id(module, &bits, &address);
    buildid_text(bits, length > 0 ? (size_t)length : 0, text);
    return !*wanted || strcmp(text, wanted) == 0;
}

/*
 * Finds an open module, and moves it to the front, since many look-ups in a row are in one
 * module.
 */
static struct session *find_open(struct module_file file)
{
    for (struct session **link = &sessions; *link; link = &(*link)->next) {
        struct session *session = *link;
        if (strcmp(session->path, file.path) != 0 ||
            strcmp(session->build_id, file.build_id) != 0)
            continue;
        *link = session->next;
        session->next = sessions;
        sessions = session;
        return session;
    }
    return NULL;
}

/*
 * Whether MODULE has debug information.  Asked once for each module: most have none, and every
 * look-up would search for it anew.
 */
static bool has_debug_information(Dwfl_Module *module)
{
    Dwarf_Addr bias;
    return dw.dwfl_module_getdwarf(module, &bias) != NULL;
}

/*
 * Whether PATH is a regular file.  Only those can be modules, and reading a pipe would never
 * end.
 */
static bool is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static struct session *open_session(struct module_file file)
{
    static Dwfl_Callbacks callbacks;
    static char *debuginfo_path;
    struct session *known = find_open(file);
    if (known)
        return known;
    struct session *session = calloc(1, sizeof *session);
    if (!session || !(session->path = strdup(file.path)) ||
        !(session->build_id = strdup(file.build_id))) {
        free_session(session);
        return NULL;
    }
    session->without_source = true;
    session->next = sessions;
    sessions = session;
    /* By build id, on this machine only: a look-up must never use the network. */
    callbacks.find_elf = dw.dwfl_build_id_find_elf;
    callbacks.find_debuginfo = dw.dwfl_build_id_find_debuginfo;
    callbacks.debuginfo_path = &debuginfo_path;
    session->dwfl = is_regular(file.path) ? dw.dwfl_begin(&callbacks) : NULL;
    if (!session->dwfl)
        return session;
    session->module =
        dw.dwfl_report_elf(session->dwfl, file.path, file.path, -1, SESSION_BASE, true);
    dw.dwfl_report_end(session->dwfl, NULL, NULL);
    GElf_Addr bias = 0;
    if (session->module && (!dw.dwfl_module_getelf(session->module, &bias) ||
                            !has_build_id(session->module, file.build_id)))
        session->module = NULL;
    session->bias = bias;
    session->without_source = has_dull_source(file.path) || !session->module ||
                              !has_debug_information(session->module);
    return session;
}

static struct session *find_session(struct module_file file)
{
    if (!*file.path || !load_libraries())
        return NULL;
    struct session *session = open_session(file);
    return session && session->module ? session : NULL;
}

static bool is_fortran(Dwarf_Die *unit)
{
    switch (dw.dwarf_srclang(unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
        return true;
    default:
        return false;
    }
}

void symbols_cut(char *name)
{
    static const char *const suffixes[] = {".cold", ".isra.", ".constprop.", ".part.",
                                           ".lto_priv."};
    name[strcspn(name, "@")] = '\0';
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char *found = strstr(name, suffixes[i]);
        if (found && found != name)
            *found = '\0';
    }
}

static char *readable_name(const char *linkage)
{
    char *name = strdup(linkage);
    if (!name)
        return NULL;
    symbols_cut(name);
    if (strncmp(name, "_Z", 2) != 0 || !demangle)
        return name;
    int status = 0;
    char *demangled = demangle(name, NULL, NULL, &status);
    if (status != 0 || !demangled)
        return name;
    free(name);
    return demangled;
}

/*
 * Fills in what the debug information says of the subprogram around ADDRESS: its file and line
 * WITH_FILES only, and otherwise nothing that would not change its name.
 */
static void describe_by_dwarf(struct session *session, uint64_t address, bool with_files,
                              struct symbol *symbol)
{
    Dwarf_Addr bias;
    Dwarf_Die subprogram;
    if (session->without_source)
        return;
    Dwarf_Die *unit = dw.dwfl_module_addrdie(session->module, address, &bias);
    if (!unit || (!with_files && symbol->name && !is_fortran(unit)) ||
        !subprograms_find(&session->units, unit, address - bias, &subprogram))
        return;
    const char *file = dw.dwarf_decl_file(&subprogram);
    const char *name = dw.dwarf_diename(&subprogram);
    dw.dwarf_decl_line(&subprogram, &symbol->line);
    symbol->file = file ? strdup(file) : NULL;
    /*
     * Compilers decorate Fortran's symbols; the debug information has the names of the source.
     */
    if (name && (is_fortran(unit) || !symbol->name)) {
        free(symbol->name);
        symbol->name = strdup(name);
    }
}

/* A look-up, and what it finds. */
struct look_up {
    struct module_file file;
    uint64_t offset;
    struct symbol symbol;
    int line;
};

static void find_function(void *argument)
{
    struct look_up *wanted = argument;
    struct session *session = find_session(wanted->file);
    if (!session)
        return;
    const uint64_t address = wanted->offset + session->bias;
    const char *name = symbol_table_name(&session->table, session->module, address);
    if (name)
        wanted->symbol.name = readable_name(name);
    describe_by_dwarf(session, address, true, &wanted->symbol);
}

/* The arguments of symbols_each. */
struct all_functions {
    struct module_file file;
    bool with_files;
    symbols_visit *visit;
    void *context;
    struct session *session;
};

static void visit_function(void *context, uint64_t address, const char *mangled)
{
    const struct all_functions *all = context;
    struct session *session = all->session;
    struct symbol symbol = {.name = readable_name(mangled)};
    describe_by_dwarf(session, address, all->with_files, &symbol);
    all->visit(all->context, address - session->bias, &symbol, mangled);
    symbol_free(&symbol);
}

static void visit_functions(void *argument)
{
    struct all_functions *all = argument;
    all->session = find_session(all->file);
    if (all->session)
        symbol_table_each(&all->session->table, all->session->module, visit_function, all);
}

static void find_line(void *argument)
{
    struct look_up *wanted = argument;
    struct session *session = find_session(wanted->file);
    if (!session || session->without_source)
        return;
    Dwfl_Line *found = dw.dwfl_module_getsrc(session->module, wanted->offset + session->bias);
    if (found)
        dw.dwfl_lineinfo(found, NULL, &wanted->line, NULL, NULL, NULL);
}

/* FILE was truncated while it was read: nothing more is looked up in it. */
static void give_up(struct module_file file)
{
    struct session *session = find_open(file);
    if (session)
        session->module = NULL;
    snprintf(problem, sizeof problem,
             "functions in %s have no names: it was truncated while it was read", file.path);
}

/* Calls WORK(ARGUMENT), which reads FILE; false if that is worth nothing. */
static bool read_guarded(void (*work)(void *argument), void *argument, struct module_file file)
{
    const enum symbols_reading reading = guarded(work, argument);
    if (reading == SYMBOLS_TRUNCATED)
        give_up(file);
    else if (reading == SYMBOLS_BUSY)
        snprintf(problem, sizeof problem,
                 "some functions have no names: a thread did not end looking others up");
    return reading == SYMBOLS_WHOLE;
}

/* Looks up by WORK.  What was found in a file that was truncated meanwhile is forgotten. */
static void look_up(void (*work)(void *argument), struct look_up *wanted)
{
    if (read_guarded(work, wanted, wanted->file))
        return;
    symbol_free(&wanted->symbol);
    wanted->line = 0;
}

bool symbols_each(struct module_file file, bool with_files, symbols_visit *visit, void *context)
{
    struct all_functions all = {file, with_files, visit, context, NULL};
    return read_guarded(visit_functions, &all, file);
}

void symbols_function(struct module_file file, uint64_t offset, struct symbol *symbol)
{
    struct look_up wanted = {.file = file, .offset = offset};
    look_up(find_function, &wanted);
    *symbol = wanted.symbol;
    if (!symbol->name)
        symbol->name = strdup("");
    if (!symbol->file)
        symbol->file = strdup("");
}

void symbol_free(struct symbol *symbol)
{
    free(symbol->name);
    free(symbol->file);
    *symbol = (struct symbol){0};
}

int symbols_line(struct module_file file, uint64_t offset)
{
    struct look_up wanted = {.file = file, .offset = offset};
    look_up(find_line, &wanted);
    return wanted.line;
}

static void close_all(void *unused)
{
    (void)unused;
    while (sessions) {
        struct session *session = sessions;
        sessions = session->next;
        free_session(session);
    }
}

void symbols_abandon(void)
{
    sessions = NULL;
}

void symbols_close(void)
{
    guarded(close_all, NULL);
}
