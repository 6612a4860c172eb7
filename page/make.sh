#!/bin/sh
# make.sh SRCDIR WHAT: makes, in the current directory, WHAT of
#   page    page.html, without type checks; empty, and a message, if npm cannot fetch its packages
#   check   type checks, and tests.mjs for node
# What is in the current directory is not to be distributed; SRCDIR is only read.
set -u
srcdir=$(cd "$1" && pwd) || exit 1
packages=packages/node_modules

# The packages that package-lock.json names, if they are not there already.
install() {
    cmp -s "$srcdir/package-lock.json" packages/installed && return 0
    mkdir -p packages && rm -f packages/installed &&
        cp -f "$srcdir/package.json" "$srcdir/package-lock.json" packages/ && chmod u+w packages/*.json &&
        (cd packages && "$NPM" ci --ignore-scripts --no-audit --no-fund --loglevel=error \
            --fetch-retries=1 --fetch-timeout=60000) &&
        cp packages/package-lock.json packages/installed
}

case $2 in
page)
    if install >npm.log 2>&1; then
        "$NODE" "$srcdir/build.mjs" --packages "$packages" --out page.html || exit 1
    else
        tail -n 5 npm.log >&2
        echo "npm could not fetch the packages of the page: there will be no tsprof html" >&2
        # Old, so that the next make tries again.
        : >page.html && touch -d @0 page.html
    fi
    ;;
check)
    [ -d "$packages/typescript" ] || exit 77
    cat >packages/tsconfig.json <<EOF
{
  "extends": "$srcdir/tsconfig.json",
  "compilerOptions": {
    "typeRoots": ["./node_modules/@types"],
    "paths": { "*": ["./node_modules/*"] }
  },
  "include": ["$srcdir/src"]
}
EOF
    "$NODE" "$packages/typescript/bin/tsc" -p packages/tsconfig.json &&
        "$NODE" "$srcdir/build.mjs" --packages "$packages" --test tests.mjs
    ;;
esac
