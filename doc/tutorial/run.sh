#!/bin/sh
# Makes everything that the tutorial shows: runs the particle program and looks at it.
#
#     run.sh DIRECTORY     which is made for the summary, the tables and the pictures
#
# From the environment, with defaults for a tsprof that is installed:
#     TSPROF        the command                           [tsprof]
#     TSPROF_LIB    the runtime to preload                [found by tsprof exec]
#     MPIRUN        starts MPI programs                   [mpirun]
#     PARTICLES     the program, tests/programs/particles [particles]
#     ITERATIONS    how long it runs                      [300]
#     SIZE          particles of each rank at the start   [2000]
#     CHROMIUM      makes the picture of the page         [chromium; without it there is none]
set -eu
directory=${1:?"usage: run.sh DIRECTORY"}
tsprof=${TSPROF:-tsprof}
unset TSPROF
iterations=${ITERATIONS:-300}
summary=$directory/particles.tsprof

# Eight ranks also where there are fewer cores, which Open MPI refuses unless it is told (MPICH does
# not look at these; the second is for version 5).
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

# The run.  Every setting has its default, but for the name of the file.
mkdir "$directory"
TSPROF_OUTPUT=$summary ${MPIRUN:-mpirun} -n 8 "$tsprof" exec \
    "${PARTICLES:-particles}" --two-clumps --iterations "$iterations" --size "${SIZE:-2000}"

# picture NAME OPTION...
picture() {
    name=$1
    shift
    "$tsprof" plot "$summary" --size 760x420 -o "$directory/$name.svg" "$@"
}

# What an ordinary profile has: totals of the whole run.
picture bytes-totals --kind ranks --metric bytes_coll_out --total
picture totals --kind ranks --metric computation --total

# What happens over the iterations.
"$tsprof" report "$summary" >"$directory/report.txt"
picture graph --kind graph --metric computation
picture ranks --kind ranks --metric computation --statistic median
picture map --kind map --metric computation

# A rank that is busy late in the run, and what it has more than in the beginning.
hottest=$("$tsprof" export "$summary" --what iterations --metric bytes_coll_out \
    --iteration "$((iterations * 2 / 3))-$((iterations - 1))" | sort -t, -k5,5 -gr | head -n 1)
iteration=$(echo "$hottest" | cut -d, -f2)
rank=$(echo "$hottest" | cut -d, -f3)
echo "$iteration $rank" >"$directory/hottest.txt"
"$tsprof" diff "$summary" --rank "$rank" --iteration "$iteration" --minus-iteration 0-9 --top 3 \
    >"$directory/more.txt"

# The cause: how many particles a rank has, which is what it passes on.
picture bytes --kind map --metric bytes_coll_out --callpath "swap_particles;MPI_Alltoallv"
picture bytes-graph --kind graph --metric bytes_coll_out --callpath "swap_particles;MPI_Alltoallv"

# All of it as one page, and a picture of that: the bytes as a surface.
if "$tsprof" html "$summary" -o "$directory/page.html"; then
    chromium=${CHROMIUM:-chromium}
    what="metric=bytes_coll_out&path=main;timestep;swap_particles;MPI_Alltoallv&view=surface&x.camera=-0.700,0.550,1.000"
    sandbox=
    [ "$(id -u)" != 0 ] || sandbox=--no-sandbox
    if ! command -v "$chromium" >/dev/null; then
        echo "there is no $chromium to make a picture of the page" >&2
    elif ! timeout 60 "$chromium" --headless $sandbox --use-angle=swiftshader --enable-unsafe-swiftshader \
        --disable-dev-shm-usage --user-data-dir="$directory/browser" --hide-scrollbars --window-size=1100,1500 \
        --virtual-time-budget=10000 --screenshot="$directory/page.png" \
        "file://$(cd "$directory" && pwd)/page.html#$what" >"$directory/browser.txt" 2>&1; then
        echo "$chromium made no picture of the page: see $directory/browser.txt" >&2
    fi
    rm -rf "$directory/browser"
fi
