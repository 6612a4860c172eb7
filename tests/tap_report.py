"""The voice of tests in Python that start no MPI programs: the Test Anything Protocol, with the plan
at the end.  Tests are run from folders beside this file, which they put into their path."""


class Report:
    def __init__(self):
        self.count = self.bad = 0

    def check(self, good, what, details=()):
        """One test, named WHAT; of one that fails the DETAILS are shown."""
        self.count += 1
        self.bad += not good
        for line in () if good else details:
            print("#", line)
        print("ok" if good else "not ok", self.count, "-", what, flush=True)

    def end(self):
        """Prints the plan; the exit status."""
        print("1..%d" % self.count)
        return 1 if self.bad else 0


def carry_out(checks):
    """Of pairs of what holds and of a function that finds what does not; the exit status."""
    report = Report()
    for what, find in checks:
        wrong = list(find())
        report.check(not wrong, what, wrong)
    return report.end()
