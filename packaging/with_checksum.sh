#!/bin/sh
# Prints Spack's recipe with the checksum of a release, which a file inside it cannot have.
#
#     packaging/with_checksum.sh tsprof-VERSION.tar.gz
set -eu

[ $# = 1 ] || { echo "usage: $0 tsprof-VERSION.tar.gz" >&2; exit 2; }
checksum=$(sha256sum "$1" | cut -d ' ' -f 1)
version=$(basename "$1" .tar.gz)
version=${version##*-}
sed "s/version(\"$version\")/version(\"$version\", sha256=\"$checksum\")/" \
    "$(dirname "$0")/spack_repo/tsprof/packages/tsprof/package.py"
