# TSPROF_MPI
# ----------
# Finds the MPI libraries that runtimes are built for: all that there are, or those that
# --with-mpi names, of the kinds in this list, where the first that is there is the default.
# Substitutes
#   MPI_KIND                    the default's kind
#   MPICC MPICXX MPIFC MPIRUN   its compilers, and the command that starts programs
#   MPI_CPPFLAGS                with which mpi.h is found, without linking MPI
# the same for another one, with OTHER_ before each name, empty if there is none; and
#   MPICH_CPPFLAGS OPENMPI_CPPFLAGS
# with the conditionals HAVE_MPICH, HAVE_OPENMPI, HAVE_MPIFC, HAVE_OTHER_MPI and
# HAVE_OTHER_MPIFC.
m4_define([TSPROF_MPI_KINDS], [mpich openmpi])

AC_DEFUN([TSPROF_MPI], [
AC_ARG_VAR([MPICC], [C compiler of an MPI to build for])
AC_ARG_VAR([MPICXX], [C++ compiler of that MPI])
AC_ARG_VAR([MPIFC], [Fortran compiler of that MPI])
AC_ARG_VAR([MPIRUN], [command that starts programs of that MPI])
AC_ARG_WITH([mpi],
  AS_HELP_STRING([--with-mpi=LIST],
    [MPI libraries to build a runtime for, the default first, of ]m4_normalize(TSPROF_MPI_KINDS)[ @<:@all@:>@]),
  [], [with_mpi=all])

# The kind of the MPI that a compiler command belongs to.
tsprof_kind_of () {
  cat > conftest.c <<_ACEOF
#include <mpi.h>
#ifdef OPEN_MPI
tsprof_kind openmpi
#elif defined MPICH_VERSION || defined I_MPI_VERSION
tsprof_kind mpich
#endif
_ACEOF
  $[]1 -E conftest.c 2>&AS_MESSAGE_LOG_FD | $SED -n 's/^tsprof_kind //p'
  rm -f conftest.c
}

# The first of the commands that is there.
tsprof_first () {
  for tsprof_command in "$[]@"; do
    AS_IF([command -v "$tsprof_command" >/dev/null 2>&1], [command -v "$tsprof_command"; return])
  done
}

# Sets cc, cxx, fc and run to the commands of a kind; cc is empty if it is not there.
tsprof_find () {
  cc= cxx= fc= run=
  AS_IF([test "x$tsprof_given" = "x$[]1"],
    [cc=$tsprof_given_cc cxx=$tsprof_given_cxx fc=$tsprof_given_fc run=$tsprof_given_run], [
    tsprof_saved_IFS=$IFS; IFS=:
    for place in $PATH /usr/lib64/$[]1/bin /usr/lib/$[]1/bin; do
      IFS=$tsprof_saved_IFS
      for ending in .$[]1 ''; do
        AS_IF([test -z "$cc" && test -x "$place/mpicc$ending" &&
               test "x`tsprof_kind_of "$place/mpicc$ending"`" = "x$[]1"],
          [cc=$place/mpicc$ending where=$place with=$ending])
      done
    done
    IFS=$tsprof_saved_IFS])
  AS_IF([test -z "$cc"], [return])
  AS_IF([test -z "$where"], [where=`AS_DIRNAME(["$cc"])`])
  AS_IF([test -z "$cxx"], [cxx=`tsprof_first "$where/mpicxx$with" "mpicxx.$[]1" mpicxx`])
  AS_IF([test -z "$fc"], [fc=`tsprof_first "$where/mpifort$with" "mpifort.$[]1" mpifort`])
  AS_IF([test -z "$run"],
    [run=`tsprof_first "$where/mpirun$with" "mpirun.$[]1" "$where/mpiexec$with" mpirun`])
  # Fortran is wanted for tests only, and only if its modules are there.
  cat > conftest.f90 <<_ACEOF
program conftest
  use mpi_f08
end program
_ACEOF
  AS_IF([test -n "$fc" && $fc -c conftest.f90 >&AS_MESSAGE_LOG_FD 2>&1], [], [fc=])
  rm -f conftest.*
}

# How mpi.h is found.  Open MPI's declares the functions that MPI 3 removed, and that its
# library has, only if told to.
tsprof_flags () {
  for flag in `$[]1 -show 2>/dev/null`; do
    AS_CASE([$flag], [-I*|-D*], [AS_ECHO_N([" $flag"])])
  done
  AS_CASE([$[]2], [openmpi],
    [AS_ECHO_N([" -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -DOMPI_WANT_MPI_INTERFACE_WARNING=0"])])
}

tsprof_given_cc=$MPICC tsprof_given_cxx=$MPICXX tsprof_given_fc=$MPIFC tsprof_given_run=$MPIRUN
tsprof_given=
AS_IF([test -n "$MPICC"], [
  tsprof_given=`tsprof_kind_of "$MPICC"`
  AS_IF([test -z "$tsprof_given"],
    [AC_MSG_ERROR([$MPICC finds no mpi.h of a kind that is supported: TSPROF_MPI_KINDS])])])
AS_CASE([$with_mpi],
  [all|yes], [tsprof_wanted="$tsprof_given TSPROF_MPI_KINDS"],
  [tsprof_wanted=`AS_ECHO(["$with_mpi"]) | tr , ' '`])

MPI_KIND= OTHER_MPI_KIND= MPICH_CPPFLAGS= OPENMPI_CPPFLAGS=
for kind in $tsprof_wanted; do
  AS_CASE([" TSPROF_MPI_KINDS "], [*" $kind "*], [],
    [AC_MSG_ERROR([--with-mpi=$with_mpi: $kind is none of TSPROF_MPI_KINDS])])
  AS_CASE([" $MPI_KIND $OTHER_MPI_KIND "], [*" $kind "*], [continue])
  AC_MSG_CHECKING([for the compilers of $kind])
  where= with=
  tsprof_find $kind
  AC_MSG_RESULT([${cc:-no} $cxx $fc, $run])
  AS_IF([test -z "$cc"], [
    AS_CASE([$with_mpi], [all|yes], [continue])
    AC_MSG_ERROR([$kind is not there (Debian: lib$kind-dev); name its compiler in MPICC])])
  flags=`tsprof_flags "$cc" $kind`
  AS_CASE([$kind], [mpich], [MPICH_CPPFLAGS=$flags], [openmpi], [OPENMPI_CPPFLAGS=$flags])
  AS_IF([test -z "$MPI_KIND"],
    [MPI_KIND=$kind MPICC=$cc MPICXX=$cxx MPIFC=$fc MPIRUN=$run MPI_CPPFLAGS=$flags],
    [OTHER_MPI_KIND=$kind OTHER_MPICC=$cc OTHER_MPICXX=$cxx OTHER_MPIFC=$fc OTHER_MPIRUN=$run
     OTHER_MPI_CPPFLAGS=$flags])
done
AS_IF([test -z "$MPI_KIND"],
  [AC_MSG_ERROR([no MPI compiler was found (Debian: libmpich-dev or libopenmpi-dev); set MPICC])])

m4_foreach_w([tsprof_name], [MPI_KIND MPICC MPICXX MPIFC MPIRUN MPI_CPPFLAGS],
  [AC_SUBST(tsprof_name)AC_SUBST([OTHER_]tsprof_name)])
AC_SUBST([MPICH_CPPFLAGS])
AC_SUBST([OPENMPI_CPPFLAGS])
AM_CONDITIONAL([HAVE_MPICH], [test "x$MPI_KIND" = xmpich || test "x$OTHER_MPI_KIND" = xmpich])
AM_CONDITIONAL([HAVE_OPENMPI], [test "x$MPI_KIND" = xopenmpi || test "x$OTHER_MPI_KIND" = xopenmpi])
AM_CONDITIONAL([HAVE_OTHER_MPI], [test -n "$OTHER_MPI_KIND"])
AM_CONDITIONAL([HAVE_MPIFC], [test -n "$MPIFC"])
AM_CONDITIONAL([HAVE_OTHER_MPIFC], [test -n "$OTHER_MPIFC"])
])
