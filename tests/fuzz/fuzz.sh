#!/bin/sh
# Builds fuzz targets and runs them; called by the Makefile beside it, which sets top_srcdir, CC,
# ARCH (a folder of arch/), FLAGS, LIBS, SANITIZE and LEFT_OUT, a pattern of sources of the command
# that are not compiled here.
#
#     fuzz.sh objects                       compile what targets are made of into objects.a
#     fuzz.sh object SOURCE...              some of that, for the above
#     fuzz.sh link TARGET                   a target, or a test like one, with the plain driver
#     fuzz.sh fuzz SECONDS FUZZERS TARGET...  each target for so long with each of the fuzzers,
#                                           libfuzzer and afl, that are there
#
# What is found stays in the directory, in corpus/ what leads to new code.  The exit status is 1 if
# anything was found.
set -u
here=$(dirname "$0")
CLANG=${CLANG:-clang}
AFL=${AFL:-afl-clang-fast}

# All sources of the command but main.c, which whole_command.c contains, and of what it uses.
sources() {
    ls "$top_srcdir/arch/$ARCH"/*.c "$top_srcdir"/common/*.c "$top_srcdir"/archive/*.c "$top_srcdir"/assemble/*.c \
        "$top_srcdir"/compress/*.c "$top_srcdir"/replay/*.c \
        "$top_srcdir"/replay/*/*.c "$top_srcdir"/whatif/*.c "$top_srcdir"/utils/*/*.c |
        grep -v '/utils/\(command/main\.c\|manual/\|archive/otf2_\([^m]\|moved\)\)' | grep -Ev "$LEFT_OUT"
    printf '%s\n' "$here/image.c" "$here/image_mutate.c" "$here/run_command.c" \
        "$here/whole_command.c" "$here/../unit/utils/summary_maker.c"
}

# What a target has besides what all have: the reader of archives, which has the library's place
# taken by a fake.
more() {
    test "$1" = fuzz_archive || return 0
    ls "$here/fake_otf2.c" "$top_srcdir"/utils/archive/otf2_[!m]*.c
}

# What a target is made of besides itself.
parts() {
    case $1 in
    fuzz_clustering)
        printf '%s\n' "$here/../unit/compress/clustering_checks.c" "$here/../unit/compress/clustering_history.c"
        ls "$top_srcdir"/compress/*.c "$top_srcdir"/common/*.c
        ;;
    fuzz_filter) printf '%s\n' "$top_srcdir"/common/filter.c "$top_srcdir"/common/printable.c "$top_srcdir"/common/wildcard.c ;;
    fuzz_iteration) echo "$top_srcdir/common/iteration_spec.c" ;;
    fuzz_itermap) ls "$top_srcdir"/compress/*.c "$top_srcdir"/common/*.c ;;
    fuzz_replay)
        printf '%s\n' "$here/../unit/replay/script.c" "$here/check_whatif.c"
        ls "$top_srcdir"/whatif/*.c "$top_srcdir"/replay/*.c "$top_srcdir"/replay/*/*.c "$top_srcdir"/common/*.c
        ;;
    fuzz_archive)
        sources | grep -v '/utils/archive/otf2_missing[.]c'
        more fuzz_archive
        ;;
    fuzz_part)
        sources
        echo "$here/../unit/utils/parts/part_maker.c"
        ;;
    *) sources ;;
    esac
}

compile_each() {
    for source; do
        name=$(echo "${source#"$top_srcdir"/}" | tr '/.' '__')
        # shellcheck disable=SC2086  # lists of options
        eval "$CC $FLAGS $SANITIZE" -c -o "objects/$name.o" "$source" || exit 1
    done
}

compile() {
    rm -rf objects
    mkdir objects || exit 1
    { sources && echo "$here/fuzz_driver.c"; } |
        xargs -n 8 -P "$(getconf _NPROCESSORS_ONLN)" sh "$0" object || exit 1
    rm -f objects.a
    # The driver has a main, so it must not be taken where there is one.
    ar rc objects.a objects/*.o
}

link() {
    # shellcheck disable=SC2046  # lists of files
    eval "$CC $FLAGS $SANITIZE" -o "$1" "$here/$1.c" $(more "$1") objects.a "$LIBS"
}

with_libfuzzer() {
    target=$1
    # shellcheck disable=SC2046  # lists of files
    if ! eval "$CLANG $FLAGS" -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
        -o "guided_$target" "$here/$target.c" $(parts "$target") "$LIBS" 2>guided.log; then
        echo "$target: no libFuzzer (see guided.log)"
        return 0
    fi
    echo "$target: with libFuzzer, $seconds seconds"
    "./guided_$target" -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=1500 \
        -malloc_limit_mb=512 -print_final_stats=1 "corpus/$target" "seeds/$target"
}

with_afl() {
    target=$1
    # shellcheck disable=SC2046
    if ! AFL_USE_ASAN=1 AFL_USE_UBSAN=1 AFL_QUIET=1 eval "$AFL $FLAGS" -fsanitize=fuzzer \
        -o "afl_$target" "$here/$target.c" $(parts "$target") "$LIBS" 2>afl.log; then
        echo "$target: no AFL++ (see afl.log)"
        return 0
    fi
    if [ "$target" = fuzz_summary ] || [ "$target" = fuzz_messages ]; then
        # shellcheck disable=SC2046
        eval "$CC $FLAGS" -fPIC -shared -o afl_mutator.so "$here/afl_mutator.c" "$here/image.c" \
            "$here/image_mutate.c" "$here/../unit/utils/summary_maker.c" \
            "$top_srcdir/assemble/sections.c" $(ls "$top_srcdir"/common/*.c) "$LIBS" || return 1
        AFL_CUSTOM_MUTATOR_LIBRARY=$PWD/afl_mutator.so
        export AFL_CUSTOM_MUTATOR_LIBRARY
    fi
    echo "$target: with AFL++, $seconds seconds"
    rm -rf "afl_out_$target"
    AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
        AFL_SKIP_BIN_CHECK=1 afl-fuzz -V "$seconds" -t 20000 -m none -i "seeds/$target" \
        -o "afl_out_$target" -- "./afl_$target" >"afl_$target.log" 2>&1
    status=$?
    unset AFL_CUSTOM_MUTATOR_LIBRARY
    found=$(find "afl_out_$target" -path '*/crashes/id*' -o -path '*/hangs/id*')
    if [ -n "$found" ]; then
        echo "$target: AFL++ has found"
        echo "$found"
        return 1
    fi
    return $status
}

without() {
    target=$1
    echo "$target: by chance, $seconds seconds"
    ASAN_OPTIONS=abort_on_error=1 UBSAN_OPTIONS=abort_on_error=1 \
        "./$target" -s "$seconds" -r $$
}

fuzz() {
    seconds=$1
    fuzzers=$2
    shift 2
    result=0
    for target in "$@"; do
        mkdir -p "corpus/$target" "seeds/$target" && "./$target" -w "seeds/$target" || exit 1
        for fuzzer in $fuzzers; do
            case $fuzzer in
            libfuzzer) with_libfuzzer "$target" ;;
            afl) with_afl "$target" ;;
            none) without "$target" ;;
            *)
                echo "fuzz.sh: no such fuzzer: $fuzzer" >&2
                exit 2
                ;;
            esac || result=1
        done
    done
    exit $result
}

action=$1
shift
case $action in
objects) compile ;;
object) compile_each "$@" ;;
link) link "$@" ;;
fuzz) fuzz "$@" ;;
*) exit 2 ;;
esac
