#!/bin/sh
# Type checks and the unit tests of the page's reader and model, as TAP.
if ! "${srcdir:-.}/make.sh" "${srcdir:-.}" check >check.out 2>&1; then
    if [ ! -d packages/node_modules/typescript ]; then
        echo "1..0 # SKIP npm's packages are not here"
        exit 0
    fi
    sed 's/^/# /' check.out
    echo "not ok 1 - the page's types are right"
    echo "1..1"
    exit 1
fi
exec "$NODE" --test-reporter=tap tests.mjs
