/* Names of C++ functions in brief: without template arguments, parameters and return types. */
#include "print/brief_name.h"

#include "tap.h"

#include <string.h>

static void test_names(void)
{
    static const struct {
        const char *name, *brief;
    } cases[] = {
        {"main", "main"},
        {"MPI_Send", "MPI_Send"},
        {"module_solver_MOD_step", "module_solver_MOD_step"},
        {"foo.constprop.0", "foo.constprop.0"},
        {"solve(int, double*)", "solve"},
        {"solve() const", "solve"},
        {"ns::solve(std::vector<int> const&)", "ns::solve"},
        {"void ns::solve<int>(int*)", "ns::solve"},
        {"std::map<int, std::pair<a, b> >::find(int const&)", "std::map::find"},
        {"unsigned long solver<double>::run<int, 3>(int*) const", "solver::run"},
        {"(anonymous namespace)::step(int)", "step"},
        {"a::(anonymous namespace)::step<int>(int)", "a::step"},
        {"int (anonymous namespace)::step<int>(int)", "step"},
        {"(anonymous namespace)::step", "step"},
        {"a::run((anonymous namespace)::state&)", "a::run"},
        {"(anonymous namespace)::", "(anonymous namespace)::"},
        {"(anonymous namespace)", "(anonymous namespace)"},
        {"operator<(a const&, a const&)", "operator<"},
        {"std::ostream& operator<< <char>(std::ostream&, char)", "operator<<"},
        {"a::operator()(int) const", "a::operator()"},
        {"bool a<int>::operator()<b>(b) const", "a::operator()"},
        {"a<int>::operator->() const", "a::operator->"},
        {"a<int>::operator bool() const", "a::operator bool"},
        {"operator new(unsigned long)", "operator new"},
        {"main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()"},
        {"run(int)::{lambda()#2}::operator()() const", "run::{lambda#2}::operator()"},
        {"a::run(int) const::{lambda()#2}::operator()() const",
         "a::run::{lambda#2}::operator()"},
        {"(anonymous namespace)::attempt::~attempt()", "attempt::~attempt"},
        {"time (of a phase)", "time (of a phase)"},
        {"unbalanced<int", "unbalanced"},
        {"unbalanced(int", "unbalanced"},
        {"<", "<"},
        {"(", "("},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text text = {0};
        text_add_function_name(&text, cases[i].name, NAMES_BRIEF);
        OK(strcmp(text_string(&text), cases[i].brief) == 0, "%s is %s, %s", cases[i].name,
           cases[i].brief, text_string(&text));
        text_free(&text);
    }
}

static void test_forms(void)
{
    static const char name[] = "void ns::solve<std::pair<int, b> >(int*) const";
    struct text text = {0};
    text_add_function_name(&text, name, NAMES_WITH_TEMPLATES);
    OK(strcmp(text_string(&text), "ns::solve<std::pair<int, b> >") == 0,
       "template arguments stay: %s", text_string(&text));
    text_clear(&text);
    text_add_function_name(&text, name, NAMES_FULL);
    OK(strcmp(text_string(&text), name) == 0, "and all else: %s", text_string(&text));
    text_free(&text);
}

int main(void)
{
    test_forms();
    test_names();
    return tap_done();
}
