#!/bin/sh
# Builds tsprof, profiles an MPI program of two processes with it and shows the report.
set -u
cd "$(dirname "$0")" || exit 1
. ./setup.sh

install_packages
build build

runtime=$PWD/build/libprof/.libs/libtsprof.so
program=$PWD/build/tests/programs/particles
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

say
say "\$ LD_PRELOAD=libtsprof.so mpirun -n 2 particles --iterations 300 --size 2500"
TSPROF_OUTPUT=$work/particles.tsprof LD_PRELOAD=$runtime \
    mpirun.mpich -n 2 "$program" --iterations 300 --size 2500 || exit 1
say
say "\$ tsprof report particles.tsprof"
build/utils/tsprof report "$work/particles.tsprof" || exit 1
cp "$work/particles.tsprof" build/particles.tsprof
say
say "The summary is build/particles.tsprof; more: build/utils/tsprof --help"
