"""What is to be found in the program `behaviours`, and whether it is the first that is said.

For the tests and for `make bench BENCH=findings`.  Nothing here is about how tsprof finds things:
kinds are those that doc/report.md lists, functions, ranks and iterations those of behaviours.c.
"""

import collections
import re

# What somebody would want to know: any of the KINDS of findings, about any of the FUNCTIONS (in
# the call path), on RANKS (None: no rank is to be named), in ITERATIONS, first and last; None: in
# all.  FEWEST: it takes so many ranks.
Planted = collections.namedtuple("Planted", "kinds functions ranks iterations")

OF_RANKS = {"slow_ranks", "idle_ranks", "imbalance", "uneven_computation"}
OF_MESSAGES = {"communication", "dominating", "frequent", "big_messages", "uneven_communication"}


def planted(ranks, name, count):
    """What there is to be found in NAME with so many RANKS and COUNT iterations."""
    every = list(range(ranks))
    last = count - 1
    if name == "master" and ranks > 2:
        return Planted(OF_RANKS | {"overloaded_master"}, {"answer"}, [0], None)
    return {
        "slow_rank": Planted(OF_RANKS, {"solve"}, [1], None),
        "slow_rank_for_a_while": Planted({"slow_ranks", "range"}, {"solve"}, [1], (100, 149)),
        "step": Planted({"step"}, {"solve"}, None, (120, last)),
        "drift": Planted({"drift"}, {"solve"}, None, (0, last)),
        "period": Planted({"period"}, {"write_output"}, None, (9, last)),
        "outlier_on_a_rank": Planted({"slow_iterations"}, {"remesh"}, [1], (87, 87)),
        "outlier_on_all": Planted({"slow_iterations"}, {"remesh"}, None, (87, 87)),
        "moving_rank": Planted({"moving_rank"}, {"solve"}, every, (0, last)),
        "late_sender": Planted(OF_RANKS, {"prepare"}, [0], None),
        "barrier": Planted(OF_RANKS, {"check_convergence"}, [0], None),
        "uneven_bytes": Planted(OF_MESSAGES, {"distribute"}, None, None),
        "collective": Planted(OF_MESSAGES, {"MPI_Alltoall"}, None, None),
        "small_messages": Planted({"frequent"}, {"chatter"}, None, None),
        "master": Planted(OF_RANKS, {"answer"}, [0], None),
        "serialized": Planted(OF_MESSAGES, {"in_order", "reduce"}, None, None),
        "output_on_a_rank": Planted(OF_RANKS, {"dump"}, [0], None),
        "page_faults": Planted({"range"}, {"touch_pages"}, None, (60, 119)),
        "small_function_grows": Planted({"drift"}, {"remesh"}, None, (0, last)),
        "one_processor": Planted({"no_processor"}, None, None, None),
        "warm_up": Planted({"step", "range", "slow_iterations"}, {"build_tables"}, None, (0, 11)),
        "other_messages": Planted({"step"}, {"MPI_Alltoall"}, None, (100, last)),
        "hidden_messages": Planted({"step"}, {"MPI_Alltoall"}, None, (100, last)),
        "growing_messages": Planted({"drift"}, {"exchange"}, None, (0, last)),
    }.get(name)


# Of the balanced programs, what may be said of them since it is so.
TRUE_OF = {"communicating": OF_MESSAGES}
# What is said first where it matters, and of the machine rather than of the program.
OF_THE_MACHINE = {"no_processor", "overhead"}


def names(source):
    """Names and iterations of all behaviours, from behaviours.def."""
    return [(name, int(count)) for name, count in
            re.findall(r"^BEHAVIOUR\((\w+), (\d+)\)", source, re.MULTILINE)]


def extent(finding, planted_one):
    """First and last of the iterations; of a step down, those before it."""
    if not finding["iterations"]:
        return None
    first, last = finding["iterations"][0][0], finding["iterations"][-1][1]
    if finding["kind"] == "step" and finding["value"] < finding["usual"]:
        return 0, first - 1
    return first, last


def is_near(got, wanted, count):
    """Borders of what begins or ends gradually, or in noise, may be off by a fiftieth of the run."""
    return got is not None and all(abs(a - b) <= max(2, count // 50) for a, b in zip(got, wanted))


def is_found(finding, planted_one, ranks, count, caller=None):
    """Whether FINDING is what was planted; if not, what is wrong about it.

    CALLER may be named in place of the function: time without samples counts as that one's.
    """
    if finding["kind"] not in planted_one.kinds:
        return "it is a " + finding["kind"]
    path = finding["cause"]["callpath"] if finding["cause"] else []
    if planted_one.functions and not planted_one.functions & set(path) and \
            (caller is None or path[-1:] != [caller]):
        return "it is in " + ";".join(path)
    if planted_one.ranks is not None and sorted(finding["ranks"]) != planted_one.ranks:
        return "it is on %s" % finding["ranks"]
    if planted_one.ranks is None and finding["ranks"] and len(finding["ranks"]) < ranks and \
            finding["kind"] not in OF_MESSAGES:
        return "it is on %s" % finding["ranks"]
    if planted_one.iterations and not is_near(extent(finding, planted_one), planted_one.iterations,
                                              count):
        return "it is in %s" % finding["iterations"][:4]
    return None


def is_of_machine(finding):
    """Whether FINDING says that processors were lacking, and when, or that tsprof took long."""
    cause = finding["cause"]
    return finding["kind"] in OF_THE_MACHINE or cause and \
        cause["metric"] in ("preempted", "overhead")


# Share of the run: whatever is said to be worth less is true of any machine.
NOISE = 0.005


def verdict(findings, name, ranks, count, strict=True):
    """What is wrong about what is said of NAME; None if nothing is.

    Of the machine something may be said before, and of a program in which nothing is planted
    nothing else, but for single peaks that the machine has made, of a millisecond or two.  Not
    STRICT: the function that calls the planted one will do.
    """
    wanted = planted(ranks, name, count)
    of_program = [finding for finding in findings if not is_of_machine(finding)]
    if wanted is None:
        false = [finding for finding in of_program
                 if finding["kind"] not in TRUE_OF.get(name, set()) and
                 finding["gain"] >= NOISE * finding["of"]]
        return "it says: " + false[0]["text"] if false else None
    said = findings if wanted.kinds == {"no_processor"} else of_program
    if not said:
        return "nothing is said"
    wrong = is_found(said[0], wanted, ranks, count, None if strict else name)
    return wrong and "%s: %s" % (wrong, said[0]["text"])
