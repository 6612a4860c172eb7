#!/bin/sh
# Builds Debian's packages from a release in a clean system, passes them to lintian there, installs
# them in another one and profiles programs with them.  Run by `make check-packages`.
#
#     packaging/check.sh TARBALL OUTPUT
#
# OUTPUT is a directory, which will have the packages and build.log.  SUITE in the environment
# chooses Debian's release, MIRROR a line for sources.list; DEB_BUILD_OPTIONS=nocheck leaves out what
# is tested while the packages are built.  Needs mmdebstrap, and who is not root user namespaces.
set -eu

[ $# = 2 ] || { echo "usage: $0 TARBALL OUTPUT" >&2; exit 2; }
command -v mmdebstrap >/dev/null || { echo "mmdebstrap is missing (Debian: mmdebstrap)" >&2; exit 1; }
tarball=$(realpath "$1")
name=$(basename "$tarball" .tar.gz)
original=${name%-*}_${name##*-}.orig.tar.gz
mkdir -p "$2"
output=$(realpath "$2")
rm -f "$output"/*

# in_clean_system VARIANT HOOK...: all is gone afterwards but what the hooks copied out.
in_clean_system() {
    variant=$1
    shift
    mmdebstrap --quiet --variant="$variant" --format=null "$@" "${SUITE:-bookworm}" /dev/null \
        ${MIRROR:+"$MIRROR"}
}

say() {
    echo "== $*"
}

say "Building"
in_clean_system buildd \
    --customize-hook="mkdir \"\$1/build\"" \
    --customize-hook="upload '$tarball' '/build/$original'" \
    --chrooted-customize-hook="cd /build && tar xf '$original' && cd '$name' &&
        apt-get -q -y --no-install-recommends build-dep . >../build.log 2>&1 &&
        { dpkg-buildpackage -us -uc >>../build.log 2>&1 || { tail -n 60 ../build.log; exit 1; }; } &&
        cd .. && rm -rf '$name'" \
    --customize-hook="sync-out /build '$output'"

say "lintian"
in_clean_system apt --include=lintian \
    --customize-hook="mkdir \"\$1/packages\"" \
    --customize-hook="sync-in '$output' /packages" \
    --chrooted-customize-hook="lintian --allow-root --fail-on error,warning --info --display-info \
        /packages/*.changes"

say "Profiling"
in_clean_system apt \
    --customize-hook="mkdir \"\$1/packages\"" \
    --customize-hook="sync-in '$output' /packages" \
    --chrooted-customize-hook="cd /packages && tar xf '$original' &&
        needed=\$(sed -n '/^Depends:/,/^[RT]/s/^\\(Depends:\\)\\{0,1\\} *\\([a-z0-9-]*\\),\\{0,1\\}\$/\\2/p' \
            '$name/debian/tests/control' | grep -v '^tsprof') &&
        apt-get -q -y --no-install-recommends install ./*.deb \$needed libopen-trace-format2-10 \
            >install.log 2>&1 || { tail -n 20 install.log; exit 1; }
        '$name/debian/tests/profile'"

say "The packages are in $output"
