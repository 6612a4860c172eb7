#!/bin/sh
# sysroot.sh DIRECTORY: fills DIRECTORY/root with Debian's libraries for arm64 and DIRECTORY/tools
# with an emulator for its programs.  The packages are unpacked, not installed: apt works with
# lists and state of its own in DIRECTORY, and nothing else on the machine changes.  No root needed.
set -e
here=$1
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
release=${DEBIAN_RELEASE:-bookworm}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

wanted="libc6-dev libmpich-dev mpich libdw-dev libelf-dev libzstd-dev zlib1g-dev liblzma-dev
    libxml2-dev libotf2-trace-dev libcairo2-dev libunwind-dev libstdc++6 libgfortran5 libgomp1"
# What those would have installed that only runs there: compilers, interpreters, administration.
unwanted='^(autoconf|automake|autotools-dev|binutils.*|cpp.*|dpkg.*|g\+\+.*|gcc.*|gfortran.*|git.*|icu-devtools|libasan.*|libhwasan.*|liblsan.*|libtsan.*|m4|media-types|openssh.*|perl.*|python3.*|libpython3.*|libperl.*|tar|tzdata|ucf|debconf|adduser|passwd)$'

if [ -f "$here/complete" ]; then
    exit 0
fi
mkdir -p "$here"
here=$(cd "$here" && pwd)
mkdir -p "$here/apt/lists/partial" "$here/apt/archives/partial" "$here/root" "$here/tools"
: >"$here/apt/status"

# sources ARCHITECTURE
sources() {
    echo "deb [arch=$1 signed-by=$keyring] $mirror $release main"
}

# private ARCHITECTURE COMMAND...: an apt command that knows that architecture alone.
private() {
    architecture=$1
    command=$2
    shift 2
    "$command" -q -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
        -o Dir::State="$here/apt" -o Dir::State::status="$here/apt/status" \
        -o Dir::Cache="$here/apt" -o Dir::Etc::sourcelist="$here/apt/sources.list" \
        -o Dir::Etc::sourceparts=- -o APT::Install-Recommends=false -o APT::Sandbox::User= "$@"
}

# unpack FOLDER: all packages that were downloaded.
unpack() {
    for package in "$here"/apt/archives/*.deb; do
        dpkg-deb -x "$package" "$here/$1"
        rm "$package"
    done
}

sources arm64 >"$here/apt/sources.list"
private arm64 apt-get update
# shellcheck disable=SC2086  # a list of packages
packages=$(private arm64 apt-get -s install $wanted | sed -n 's/^Inst \([^ ]*\) .*/\1/p' |
    grep -Ev "$unwanted")
# shellcheck disable=SC2086
(cd "$here/apt/archives" && private arm64 apt-get download $packages)
unpack root
# What leads from the top of that system does so from its own.
find "$here/root" -type l -lname '/*' | while read -r link; do
    ln -sfn "$here/root$(readlink "$link")" "$link"
done

native=$(dpkg --print-architecture)
sources "$native" >"$here/apt/sources.list"
private "$native" apt-get update
(cd "$here/apt/archives" && private "$native" apt-get download qemu-user-static)
unpack tools
touch "$here/complete"
