#!/usr/bin/env python3
"""How good clustering is: the published method, tsprof's own and clustering off line, side by side.

    make bench-compression [PYTHON=python3] [PARTS="synthetic paths scatter costs programs plots"] [SEEDS=4] [JOBS=2]

Needs numpy and matplotlib (Debian: python3-matplotlib).  What it finds is also left as tables and
pictures in bench/compression of the build tree; bench/results/README.md says what they mean.
`costs` needs a quiet machine, the others do not.

    synthetic   series of numbers of a known kind (synthetic.py)
    paths       series with call paths (synthetic_paths.py), and programs: totals and call paths
    scatter     of some programs, how much that differs between recordings (RECORDINGS=8)
    costs       time per iteration and memory for 100 call paths
    programs    programs of tests/programs, measured once, clustered off line again and again
    plots       pictures of what the other parts found, from their tables
"""

import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

BUILD = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
RESULTS = os.path.join(BUILD, "bench", "compression")


def main(names):
    try:
        import numpy  # noqa: F401
    except ImportError:
        sys.exit("compression: needs numpy (Debian: python3-numpy) for " + sys.executable)
    import compression_costs
    import compression_paths
    import compression_plots
    import compression_programs
    import compression_scatter
    import compression_synthetic
    os.makedirs(RESULTS, exist_ok=True)
    parts = {"synthetic": compression_synthetic.main, "paths": compression_paths.main,
             "scatter": compression_scatter.main, "costs": compression_costs.main,
             "programs": compression_programs.main, "plots": compression_plots.main}
    for name in names or parts:
        parts[name](RESULTS)


if __name__ == "__main__":
    main(sys.argv[1:])
