# Copyright the tsprof authors.  SPDX-License-Identifier: BSD-3-Clause
"""tsprof for Spack 1.0 and later: see doc/installing.md."""

import os

from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *


class Tsprof(AutotoolsPackage):
    """Time-series call-path profiler for MPI programs: one profile for each iteration of the main
    loop and each process, of programs that are neither recompiled nor relinked."""

    # The release is where Spack is called, or in a mirror.
    url = f"file://{os.getcwd()}/tsprof-0.1.0.tar.gz"
    manual_download = True

    license("BSD-3-Clause")

    version("0.1.0")

    variant("papi", default=False, description="Count hardware events")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("mpi")
    # Opened by the runtime, which finds them by the paths that Spack's compilers put into it.
    depends_on("elfutils")
    depends_on("zstd")
    depends_on("otf2@3:")
    depends_on("papi@5:", when="+papi")
    # Of the command.
    depends_on("zlib-api")
    depends_on("libxml2")
    depends_on("cairo+pdf")

    requires("platform=linux", msg="tsprof measures on Linux only")
    requires(
        "target=x86_64:",
        "target=aarch64:",
        policy="one_of",
        msg="tsprof walks stacks on x86-64 and AArch64 only",
    )
    requires(
        "^[virtuals=mpi] mpich",
        "^[virtuals=mpi] openmpi",
        policy="one_of",
        msg="tsprof has runtimes for MPICH and Open MPI",
    )

    def configure_args(self):
        mpi = self.spec["mpi"]
        return [
            f"--with-mpi={mpi.name}",
            f"MPICC={mpi.mpicc}",
            # Spack writes its own.
            "--with-modulefiles=no",
        ]
