#!/bin/sh
# memcheck.sh PROGRAM: one test, in TAP, that passes if valgrind's memcheck finds nothing wrong with
# how the test program uses memory, and the program came to its end.  Whether its own tests pass says
# `make check`: some go by time or by the width of long double, which valgrind changes.
program=$1
log=$1.memcheck
out=$1.out

skip() {
    echo "1..0 # SKIP $*"
    exit 0
}

case $program in
*/test_bus_guard) skip "valgrind does not repeat an instruction that has faulted" ;;
*_races) skip "the thread sanitizer takes the place of memcheck" ;;
*/test_unwind | */test_unwind_aliases | */test_unwind_steps | */test_alias_libunwind)
    skip "libunwind reads stacks below their ends, coroutines have theirs from malloc"
    ;;
esac
command -v valgrind >/dev/null 2>&1 || skip "valgrind is not there"

rm -f "$log"
TAP_STRIDE=50 ../../libtool --mode=execute timeout 300 valgrind -q --log-file="$log" "$program" >"$out" 2>&1
status=$?
# Lines of --PID-- tell what valgrind does not know of debug information.
if grep -q '^==' "$log"; then
    problem="memory is misused"
elif [ $status -gt 1 ] || ! grep -q '^1\.\.[0-9]' "$out"; then
    problem="the program did not come to its end"
else
    problem=
fi
if [ "$problem" ]; then
    grep '^==' "$log" | sed 's/^/# /'
    tail -n 3 "$out" | sed 's/^/# /'
    echo "not ok 1 - $problem (exit status $status)"
else
    echo "ok 1 - no memory is misused"
fi
echo 1..1
rm -f "$log" "$out"
