/*
 * Names of functions as people call them: without template arguments and parameter lists.
 */
#ifndef TSPROF_BRIEF_NAME_H
#define TSPROF_BRIEF_NAME_H

#include "print/text.h"

/* How much of a C++ name is shown. */
enum name_form {
    NAMES_BRIEF,          /* as the next one, and no template arguments */
    NAMES_WITH_TEMPLATES, /* no parameter lists and return types; no anonymous namespaces but in
                             the arguments of templates */
    NAMES_FULL
};

/*
 * Adds a demangled C++ NAME in FORM: "solver::run" for "void solver<double>::run<int>(int*)
 * const". A name that is none of C++ is added as it is.  Unescaped.
 */
void text_add_function_name(struct text *text, const char *name, enum name_form form);

#endif
