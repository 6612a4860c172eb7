#!/bin/sh
# check.sh SOURCE DIRECTORY [TARGET...]: builds tsprof for arm64 in DIRECTORY with a cross compiler
# and Debian's libraries, and runs tests there under qemu-user (doc/processors.md says which, and
# what that can and cannot show).  With TARGETs: what to make instead, in the folder that the
# variable FOLDER names, for single tests.
#
# So that programs of that processor start like any others, everything happens in a user namespace
# with a table of binary formats of its own (Linux 6.7 or later).  Nothing else on the machine
# changes.  Needs the packages gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu and
# gfortran-aarch64-linux-gnu.
set -e
source=$(cd "$1" && pwd)
mkdir -p "$2"
here=$(cd "$2" && pwd)
shift 2
host=aarch64-linux-gnu
root=$here/system/root
includes=/usr/include/$host/mpich

# register INTERPRETER: its processor's programs are run by it from now on.  The kernel opens it
# at once, and takes short names only.
register() {
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    short=$(mktemp -d)
    cp "$1" "$short/emulator"
    zeros='\x00\x00\x00\x00\x00\x00\x00\x00'
    ones='\xff\xff\xff\xff\xff\xff\xff\xff'
    printf '%s' ":aarch64:M::\\x7fELF\\x02\\x01\\x01\\x00$zeros\\x02\\x00\\xb7\\x00:\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00$ones\\xfe\\xff\\xff\\xff:$short/emulator:F" \
        >/proc/sys/fs/binfmt_misc/register
    rm -r "$short"
}

# compiler NAME COMMAND LIBRARIES: a compiler of MPI programs that compiles for that processor.
compiler() {
    cat >"$here/bin/$1" <<END
#!/bin/sh
if [ "\$1" = -show ]; then
    echo $2 -I$root$includes $3
    exit
fi
exec $2 --sysroot=$root -I$root$includes "\$@" $3
END
    chmod +x "$here/bin/$1"
}

if [ -z "$AARCH64_IN_NAMESPACE" ]; then
    sh "$source/tests/aarch64/sysroot.sh" "$here/system"
    exec env AARCH64_IN_NAMESPACE=1 unshare --user --map-root-user --mount \
        sh "$source/tests/aarch64/check.sh" "$source" "$here" "$@"
fi

register "$here/system/tools/usr/bin/qemu-aarch64-static"
QEMU_LD_PREFIX=$root
# The package's libraries are elsewhere in a system of that processor.
PKG_CONFIG_SYSROOT_DIR=$root
PKG_CONFIG_LIBDIR=$root/usr/lib/$host/pkgconfig:$root/usr/share/pkgconfig
PATH=$here/bin:$PATH
CONFIG_SHELL=/bin/sh
export QEMU_LD_PREFIX PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR PATH CONFIG_SHELL

mkdir -p "$here/bin" "$here/build"
compiler mpicc.mpich $host-gcc -lmpich
compiler mpicxx.mpich $host-g++ "-lmpichcxx -lmpich"
compiler mpifort.mpich "$host-gfortran -fallow-invalid-boz -fallow-argument-mismatch" "-lmpichfort -lmpich"
cat >"$here/bin/mpirun.mpich" <<END
#!/bin/sh
exec $root/usr/bin/mpiexec.hydra "\$@"
END
chmod +x "$here/bin/mpirun.mpich"

cd "$here/build"
[ -f config.status ] ||
    "$source/configure" --host=$host --enable-werror --with-mpi=mpich MPICC="$here/bin/mpicc.mpich" \
        MPICXX="$here/bin/mpicxx.mpich" MPIFC="$here/bin/mpifort.mpich" \
        MPIRUN="$here/bin/mpirun.mpich" CC="$host-gcc --sysroot=$root" \
        CXX="$host-g++ --sysroot=$root" NPM=no
parallel=-j$(getconf _NPROCESSORS_ONLN)
make "$parallel"
# Each test may take three times as long as elsewhere.
patient="time_limit=timeout -k 10 1800"
# There it ends once in a while only, with tsprof as without.
E2E_WITHOUT=onesided
export E2E_WITHOUT
if [ $# -gt 0 ]; then
    exec make -C "${FOLDER:-.}" "$patient" "$@"
fi
status=0
make "$patient" -C tests/unit -k "$parallel" check-without WITHOUT="$source/tests/aarch64/unit.txt" || status=1
make "$patient" -C tests/e2e -k check TESTS="$(grep -v '^#' "$source/tests/aarch64/e2e.txt" | tr '\n' ' ')" ||
    status=1
exit $status
