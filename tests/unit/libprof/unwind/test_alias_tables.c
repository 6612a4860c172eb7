/*
 * A program that looks return addresses up in tables of its own, as OCaml's collector does, has
 * no aliases on its stack: this one exports the table's name.
 */
#include "tap.h"
#include "tree/cct.h"
#include "unwind/alias.h"
#include "unwind/recipe.h"

const char caml_frametable[1] = {0};

__attribute__((noipa)) static uintptr_t return_address(void)
{
    return (uintptr_t)__builtin_return_address(0);
}

int main(void)
{
    layouts_start();
    recipe_start();
    const uintptr_t address = return_address();
    OK(alias_find(address) != 0, "a return address has an alias");
    alias_start();
    const uintptr_t other = return_address();
    EQ_INT(alias_find(other), 0, "but not where the program looks return addresses up");
    return tap_done();
}
