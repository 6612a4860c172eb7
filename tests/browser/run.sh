#!/bin/sh
# Runs a test of the page, or says why that cannot be: run.sh TEST.mjs
#
# BROWSER_MODULES is where npm has put what package.json names, if not beside this file.
skip() {
    echo "1..0 # SKIP $*"
    exit 0
}

here=$(dirname "$0")
node=${NODE:-node}
chromium=${CHROMIUM:-/usr/bin/chromium}
build=${TOP_BUILDDIR:-$here/../..}
SECONDS_MOST=300

command -v "$node" >/dev/null || skip "there is no node"
[ -x "$chromium" ] || skip "there is no $chromium"
[ -d "${BROWSER_MODULES:-$here}/node_modules/playwright-core" ] ||
    [ -d "$here/node_modules/playwright-core" ] || skip "playwright-core is not there: make -C tests/browser modules"
"$build/utils/tsprof" html "$here/../golden/plain.tsprof" >/dev/null 2>&1 ||
    skip "this tsprof was built without the page"
exec timeout "$SECONDS_MOST" "$node" --test-reporter=tap "$1"
