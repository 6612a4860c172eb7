#!/bin/sh
# Builds tsprof with and without sanitizers and runs every test, some of them also under Open MPI
# (make check-other-mpi runs the rest of those).  The last line of the output is
# "N passed, N failed, N skipped"; the exit status is 0 if nothing failed.
set -u
cd "$(dirname "$0")" || exit 1
. ./setup.sh

passed=0
failed=0
skipped=0
# For what does not need the processors for itself.
processors=$(getconf _NPROCESSORS_ONLN)
parallel=-j$processors
# For what does not use a processor all the time.
more_parallel=-j$((processors + processors / 2))

# number LOG RESULT...: how many results of these kinds automake's summaries in a log count.
number() {
    log=$1
    shift
    for result; do
        sed -n "s/^# $result: *\([0-9]*\)$/\1/p" "$log"
    done | awk '{ sum += $1 } END { print sum + 0 }'
}

# Adds the counts in a log, and shows what failed.
count() {
    passed=$((passed + $(number "$1" PASS XFAIL)))
    skipped=$((skipped + $(number "$1" SKIP)))
    failed=$((failed + $(number "$1" FAIL XPASS ERROR)))
    grep -E '^(FAIL|ERROR|XPASS):' "$1"
}

# check DIRECTORY TARGET WHAT [make arguments]
check() {
    directory=$1
    target=$2
    what=$3
    shift 3
    say "Testing: $what"
    began=$(date +%s)
    make -C "$directory" -k "$target" "$@" >"$directory/check.log" 2>&1
    status=$?
    say "  $(($(date +%s) - began)) s"
    count "$directory/check.log"
    # A test suite that could not even start has counted nothing.
    if [ $status -ne 0 ] && ! grep -q '^# FAIL: *[1-9]\|^# ERROR: *[1-9]' "$directory/check.log"; then
        failed=$((failed + 1))
        tail -n 20 "$directory/check.log"
    fi
}

# check_jobs: the same of tests that start jobs or browsers, whose time others on this machine may
# take.  What failed is run once more, by itself; if it passes then it counts as passed, and is named
# as unstable, for either it or tsprof takes something for granted.
check_jobs() {
    before=$failed
    check "$@"
    [ "$failed" -gt "$before" ] || return 0
    mv "$1/check.log" "$1/check-first.log"
    make -C "$1" -k recheck >"$1/check.log" 2>&1 || {
        say "Failed again, by itself:"
        grep -E '^(FAIL|ERROR|XPASS):' "$1/check.log"
        # Or the next tests in this directory that fail would have to run with them.
        find "$1" -name '*.trs' -exec sed -i 's/^:recheck: yes/:recheck: no/' {} +
        return 0
    }
    [ "$(number "$1/check.log" PASS)" -gt 0 ] || return 0
    grep -E '^(FAIL|ERROR|XPASS):' "$1/check-first.log" | sed 's/^[A-Z]*:/UNSTABLE:/'
    # An error is a test's end, not one more check of it.
    passed=$((passed + $(number "$1/check-first.log" FAIL)))
    failed=$before
}

# unpack_tarball DIRECTORY: one test, of what `make dist` packs, which is left in build/unpacked.
unpack_tarball() {
    say "Testing: the tarball"
    began=$(date +%s)
    rm -rf build/unpacked.new "$1"/tsprof-*.tar.gz
    mkdir build/unpacked.new
    if make -C "$1" dist-tested >"$1/dist.log" 2>&1 &&
        tar -xf "$1"/tsprof-*.tar.gz -C build/unpacked.new --strip-components=1; then
        passed=$((passed + 1))
        rm -rf build/unpacked
        mv build/unpacked.new build/unpacked
    else
        failed=$((failed + 1))
        tail -n 20 "$1/dist.log"
    fi
    say "  $(($(date +%s) - began)) s"
}

# prepare DIRECTORY TARGET [make arguments]: compiles what tests need, side by side.
prepare() {
    began=$(date +%s)
    make -C "$@" -k "$parallel" >>build.log 2>&1
    say "  and $(($(date +%s) - began)) s"
}

# Of end-to-end cases that are alike one in so many is tried, other ones each time.
CASES_EVERY=${CASES_EVERY:-4}
CASES_FIRST=${CASES_FIRST:-$(($(date +%s) % 1000))}
export CASES_EVERY CASES_FIRST
say "CASES_EVERY=$CASES_EVERY CASES_FIRST=$CASES_FIRST"
install_packages
keep_sshd_from_running
# The compiler's command comes with other packages, too, and is of no use without the headers.
install_optional "module:ompi-c libopenmpi-dev" \
    "mpirun.openmpi openmpi-bin" \
    "nwchem.mpich nwchem-mpich" \
    "lmp lammps" \
    "hpcc hpcc" \
    "valgrind valgrind" \
    "clang-format clang-format" \
    "clang clang" \
    "papi_avail papi-tools" \
    "otf2-print otf2-tools python3-otf2" \
    "ip iproute2" \
    "/usr/sbin/sshd openssh-server" \
    "npm npm" \
    "chromium chromium"
build build --enable-werror
# From the network, meanwhile.
make -C build/tests/browser modules >build/modules.log 2>&1 &
modules=$!
# Copies of the runtime with sanitizers: less optimized they are sooner built.
prepare build/libprof check TESTS= CFLAGS="-g1 -O1"
prepare build/tests/unit check TESTS=
check build/tests/docs check "the documents"
check build/page check "the page's reader and model"
check build/tests/gates check "what must hold for the sources" "$parallel"
check build/tests/unit check "units" "$parallel"
# Nearly all of them run under the sanitizers, too; valgrind sees what was never set.
check build/tests/unit check-memcheck "how one unit in ten uses memory, under valgrind" "$parallel" \
    MEMCHECK_EVERY=10 CASES_FIRST="$CASES_FIRST"
check_jobs build/tests/e2e check-beside "real MPI programs, some at a time" "$parallel"
check_jobs build/tests/e2e check-alone "real MPI programs that want the processors for themselves"
check build/tests/regress check "what was broken once" "$parallel"
wait "$modules" || say "The page will not be tested in a browser: see build/modules.log"
check_jobs build/tests/browser check "the page in a browser" "$more_parallel"
check_jobs build/tests/other_mpi check "some of the programs under the other MPI" "$parallel" ONE_BY_ONE=.beside
unpack_tarball build
# Test programs, what measures and what is preloaded are the same with sanitizers, and one MPI is
# enough.
only=$(sed -n 's/^SUBDIRS = \(.*\) libprof \(.*\) doc\/man .*/\1 \2/p' Makefile.am)
if [ -x build/unpacked/configure ]; then
    unpacked=build/unpacked
    grep -qs '^srcdir = .*build/unpacked' build-sanitized/Makefile || rm -rf build-sanitized
fi
build build-sanitized --enable-werror --enable-sanitizers --with-mpi=mpich CFLAGS="-g1 -O1"
prepare build-sanitized/libprof libruntime_checked.la
mkdir -p build-sanitized/libprof/.libs
cp -Pf build/libprof/.libs/libtsprof.so build/libprof/.libs/libtsprof-mpich.so \
    build/libprof/.libs/libtsprof-nvtx.so build-sanitized/libprof/.libs
# Of thousands of like cases, all of which were tried above, one in five.
check build-sanitized/tests/unit check "units under the address and undefined behaviour sanitizers" \
    "$parallel" TAP_STRIDE=5
# Other changes of their inputs each time, as CASES_FIRST says.
check build-sanitized/tests/fuzz check "fuzz targets under the same sanitizers, which see more than without" \
    "$parallel" TAP_STRIDE=6
check build-sanitized/tests/e2e check "the command under the same sanitizers" \
    TESTS="command/cli_command.py command/badfiles.py command/traces.py"

say
say "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
