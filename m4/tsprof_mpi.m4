# TSPROF_MPI
# ----------
# Finds the compilers of the MPI that the runtime is built for and substitutes MPICC, MPICXX,
# MPIFC, MPIRUN, and MPI_CPPFLAGS, the flags with which mpi.h is found without linking MPI.
AC_DEFUN([TSPROF_MPI], [
AC_ARG_VAR([MPICC], [C compiler of the MPI to build for])
AC_ARG_VAR([MPICXX], [C++ compiler of that MPI])
AC_ARG_VAR([MPIFC], [Fortran compiler of that MPI])
AC_ARG_VAR([MPIRUN], [command that starts programs of that MPI])
AC_PATH_PROGS([MPICC], [mpicc.mpich mpicc])
AC_PATH_PROGS([MPICXX], [mpicxx.mpich mpicxx])
AC_PATH_PROGS([MPIFC], [mpifort.mpich mpifort])
AC_PATH_PROGS([MPIRUN], [mpirun.mpich mpiexec.hydra mpirun])
AS_IF([test -z "$MPICC"],
  [AC_MSG_ERROR([no MPI compiler was found (Debian: libmpich-dev); set MPICC])])

AC_MSG_CHECKING([how $MPICC finds mpi.h])
MPI_CPPFLAGS=
for flag in `$MPICC -show 2>/dev/null`; do
  AS_CASE([$flag], [-I*|-D*], [MPI_CPPFLAGS="$MPI_CPPFLAGS $flag"])
done
AC_MSG_RESULT([$MPI_CPPFLAGS])
AC_SUBST([MPI_CPPFLAGS])

tsprof_saved_CPPFLAGS=$CPPFLAGS
CPPFLAGS="$CPPFLAGS $MPI_CPPFLAGS"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifndef MPICH_VERSION
#error not MPICH
#endif]])], [], [AC_MSG_ERROR([$MPICC is not MPICH's, the only MPI supported so far])])
CPPFLAGS=$tsprof_saved_CPPFLAGS

# Fortran is wanted for tests only, and only if its modules are there.
AS_IF([test -n "$MPIFC"], [
  AC_MSG_CHECKING([whether $MPIFC compiles])
  cat > conftest.f90 <<_ACEOF
program conftest
  use mpi_f08
end program
_ACEOF
  AS_IF([$MPIFC -c conftest.f90 >&AS_MESSAGE_LOG_FD 2>&1], [], [MPIFC=])
  AC_MSG_RESULT([${MPIFC:-no}])
  rm -f conftest.*
])
AM_CONDITIONAL([HAVE_MPIFC], [test -n "$MPIFC"])
])
