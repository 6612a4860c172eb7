#!/usr/bin/env python3
"""Communication efficiency is serialisation times transfer where a trace is there: in the report, and
as what stands out."""

import os
import re

import findings_oracle
import harness
import summary_reader
import waits_command
from harness import Directory, Failure

RANKS = 2
ITERATIONS = 30


def record(directory, behaviour, chosen="0-%d" % (ITERATIONS - 1)):
    """(summary, archive) of a run, of which all iterations are traced, or those CHOSEN."""
    summary = os.path.join(directory, behaviour + ".tsprof")
    result = harness.run_ranks([harness.program("behaviours"), behaviour, str(ITERATIONS)], RANKS,
                               cwd=directory, settings={"TSPROF_OUTPUT": summary,
                                                        "TSPROF_TRACE": chosen})
    if result.status != 0:
        raise Failure(result.stderr.decode("utf-8", "replace"))
    return summary, os.path.join(directory, behaviour + ".otf2")


def efficiencies(summary):
    """{row: [per cent in each column]}, and the columns."""
    text = harness.tsprof("report", summary).stdout
    table = text.split("Efficiency", 1)[1].split("\n\n")[0].splitlines()
    rows = {}
    for line in table[1:]:
        cells = re.findall(r"([\d.]+) %|(-)$|\s(-)\s", line)
        name = re.match(r"\s*([a-z -]+?)\s{2,}", line)[1]
        rows[name] = [float(cell[0]) if cell[0] else None for cell in cells]
    return rows, table[0].split()


def check_product(tap, rows, column, what):
    product = rows["serialisation"][column] * rows["transfer"][column] / 100
    tap.ok(abs(product - rows["communication efficiency"][column]) < 0.2,
           what + ": communication efficiency is the product of serialisation and transfer", rows)


def numbers_of(finding):
    return [findings_oracle.seconds(*found)
            for found in re.findall(findings_oracle.QUANTITY, finding["text"])]


def check_sentence(tap, rows, found):
    """What is said of the larger part is what the table has."""
    serialisation, transfer = rows["serialisation"][0] / 100, rows["transfer"][0] / 100
    losses = {"serialisation": transfer * (1 - serialisation), "transfer": 1 - transfer}
    kind = max(losses, key=losses.get)
    said = [finding for finding in found if finding["kind"] in losses]
    tap.equal([finding["kind"] for finding in said], [kind], "the larger part is said")
    for finding in said:
        part, of, ideal, *most = numbers_of(finding)
        wanted = [losses[kind] * of, transfer * of]
        got = [part, ideal]
        if most:
            wanted.append(transfer * serialisation * of)
            got += most
        tap.ok(len(most) == (finding["kind"] == "serialisation") and
               all(abs(a - b) < 0.01 * of for a, b in zip(got, wanted)), "with the same numbers",
               [finding["text"], rows])


def test_serialised(tap):
    """Each rank waits for its turn: a faster network would not help."""
    with Directory() as directory:
        run, archive = record(directory, "serialized")
        waits = waits_command.analyse(archive)
        rows, _ = efficiencies(waits)
        check_product(tap, rows, 0, "serialized")
        check_sentence(tap, rows, findings_oracle.read(waits))
        # A trace does not know that a process had no processor in a call.
        if any(finding["kind"] == "no_processor" for finding in findings_oracle.read(run)):
            tap.skip("serialisation", "the machine has no processors for it")
        else:
            tap.ok(rows["serialisation"][0] < rows["transfer"][0], "most is lost by serialisation",
                   rows)
        joined = os.path.join(directory, "joined.tsprof")
        result = harness.tsprof("waits", archive, "--with", run, "-o", joined)
        tap.equal(result.status, 0, "put into the run's summary")
        rows, columns = efficiencies(joined)
        tap.ok(columns[:2] == ["run", "traced"], "what was traced has a column of its own", columns)
        product = rows["serialisation"][1] * rows["transfer"][1] / 100
        tap.ok(abs(product - rows["communication efficiency"][1]) < 0.2, "with the same product", rows)


def test_transfers(tap):
    """Nothing but long messages: on an ideal network they would take no time."""
    with Directory() as directory:
        waits = waits_command.analyse(record(directory, "collective")[1])
        rows, _ = efficiencies(waits)
        check_product(tap, rows, 0, "collective")
        tap.ok(rows["transfer"][0] < 99.9, "transfers take time", rows)


def test_pauses(tap):
    """What was not traced between chosen iterations belongs to none of it."""
    with Directory() as directory:
        archive = record(directory, "slow_rank", "5,15,25")[1]
        waits = waits_command.analyse(archive)
        facts = summary_reader.Summary(waits).run
        rows = [float(row["value"]) for row in harness.export(waits, "iterations", "--metric", "time")]
    traced, predicted = sum(rows) / RANKS, float(facts["ideal.of"])
    tap.ok(abs(predicted - traced) < 0.2 * traced, "what is predicted is what was traced",
           "%g s rather than %g" % (predicted, traced))
    tap.equal(facts["gain.of"], facts["ideal.of"], "and what gains are of")
    tap.ok(float(facts["ideal.mean"]) <= float(facts["ideal.most"]) <= float(facts["ideal.time"])
           <= predicted, "no efficiency is more than 1", facts)


if __name__ == "__main__":
    harness.main()
