"""Reads the report of Scalasca's trace analyser, scout.cubex."""

import collections
import os
import sys

SOURCE = os.path.abspath(os.environ.get("TOP_SRCDIR") or os.environ.get("TOP_BUILDDIR", "."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "e2e"))

import cube_reader

# What only other writers than Score-P's have.
cube_reader.FORMATS["INTEGER"] = "q"

EMPTY = 22  # bytes of an index without rows


class Report(cube_reader.Profile):
    """As any profile, but that a metric may have members without a value."""

    def read_values(self, metric):
        index = self.members.get("%d.index" % metric.id, b"")
        return {} if len(index) == EMPTY else super().read_values(metric)

    def severities(self):
        """{(metric, call path, rank): value} without zeros; each value is of the call path alone and
        of the metric with its parts.  A call path is as `tsprof export` writes it."""
        found = collections.Counter()
        for (path, _, column, metric), value in self.own_values().items():
            found[metric, ";".join(path), self.places[column].process] += value
        return found
