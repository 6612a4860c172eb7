"""A pattern that is told of everything and counts it; witness.c does the same."""

from tsprof_pattern import NONE, Metric, Pattern


def mix(before, *values):
    for value in values:
        before = (before * 31 + int(value)) & 0xFFFFFF
    return before


class Witness(Pattern):
    metrics = [
        Metric("seen_entered", None, "occ", "Functions that were entered"),
        Metric("seen_late", None, "s", "What was found as late senders"),
        Metric("seen_mixed", None, "occ", "All numbers of events, mixed"),
    ]

    def begin(self):
        self.last_path = None

    def mix_call(self, before, call):
        before = mix(before, *call.enter, call.leave_ns, call.region, call.process, call.blocks,
                     len(self.region_name(call.region)))
        for message in call.arrived + call.sent:
            before = mix(before, *message.send, *message.receive, *message[2:])
        return mix(before, self.rank(call.process))

    def on_call(self, call):
        self.last_path = call.enter.path
        self.publish("seen_mixed", self.mix_call(1, call), call)

    def on_collective(self, collective):
        for member in collective.members:
            before = self.mix_call(mix(2, *collective[:3]), member.call)
            before = mix(before, *member.start, member.rank, member.is_remote)
            for transfer in member.transfers:
                before = mix(self.mix_call(before, transfer.call), transfer.target)
            self.publish("seen_mixed", before, member.call)

    def on_epoch(self, epoch):
        before = mix(3, epoch.window, epoch.process, epoch.is_exposure)
        for partner in epoch.partners:
            before = mix(before, *partner.ready, *partner[1:])
        for call, target in zip(epoch.calls, epoch.targets):
            self.publish("seen_mixed", mix(self.mix_call(before, call), target), call)

    def on_locked(self, locked):
        before = mix(4, *locked.holder, *locked.progress)
        self.publish("seen_mixed", mix(self.mix_call(before, locked.call), locked.is_transfer),
                     locked.call)

    def on_enter(self, visit):
        self.publish("seen_entered", 1, path=visit.enter.path)

    def on_leave(self, visit):
        self.publish("seen_mixed", mix(5, *visit.enter, *visit[1:]), path=visit.enter.path)

    def on_severity(self, finding):
        before = mix(6, len(finding.metric), finding.path, finding.amount)
        if finding.cause.path != NONE:
            before = mix(before, *finding.cause)
        if finding.call:
            before = self.mix_call(before, finding.call)
        self.publish("seen_mixed", before, path=finding.path)
        if finding.metric == "mpi_latesender":
            if finding.call:
                self.publish("seen_late", finding.amount, finding.call)
            else:
                self.publish("seen_late", finding.amount, path=finding.path)

    def end(self):
        self.publish("seen_mixed", 7, path=self.last_path)
