#!/bin/sh
# memcheck.sh PROGRAM: one test, in TAP, that passes if valgrind's memcheck finds nothing wrong with
# how the test program uses memory.  Whether the program's own tests pass says `make check`:
# some go by time or by the width of long double, which valgrind changes.
program=$1
log=$1.memcheck

skip() {
    echo "1..0 # SKIP $*"
    exit 0
}

case $program in
*_races) skip "the thread sanitizer takes the place of memcheck" ;;
*/test_unwind* | */test_alias*)
    skip "libunwind and replaced return addresses: words of stacks are read that nobody filled" ;;
esac
command -v valgrind >/dev/null 2>&1 || skip "valgrind is not there"

rm -f "$log"
TAP_STRIDE=25 ../../libtool --mode=execute valgrind -q --log-file="$log" "$program" >"$program.out" 2>&1
status=$?
# Lines of --PID-- tell what valgrind does not know of debug information.
if grep -q '^==' "$log" || [ $status -gt 1 ]; then
    grep '^==' "$log" | sed 's/^/# /'
    tail -n 3 "$program.out" | sed 's/^/# /'
    echo "not ok 1 - no memory is misused (exit status $status)"
else
    echo "ok 1 - no memory is misused"
fi
echo 1..1
rm -f "$log" "$program.out"
