"""Messages that should have been one: combinable.c, in Python.  See README.md beside it.

    tsprof waits app.otf2 -o waits.tsprof --pattern combinable.py
"""

from tsprof_pattern import Metric, Pattern

SMALL_BYTES = 1024
SOON_NS = 100000


class Combinable(Pattern):
    metrics = [
        Metric("combinable_messages", "comms_send", "occ",
               "Small messages sent soon after another to the same process"),
        Metric("combinable_time", "mpi_point2point", "s", "Time of the calls that both start and end such a send"),
    ]

    def begin(self):
        self.small = []

    # Calls come when all is known of them, so not in the order of time.
    def on_call(self, call):
        for message in call.sent:
            if 0 < message.bytes <= SMALL_BYTES:
                blocks = message.send == call.enter
                call_ns = call.leave_ns - call.enter.time_ns if blocks else 0
                self.small.append((message.sender, message.receiver, message.order, message.send,
                                   call_ns))

    def end(self):
        self.small.sort()
        for before, small in zip(self.small, self.small[1:]):
            sender, receiver, _, send, call_ns = small
            if before[:2] == (sender, receiver) and send.time_ns - before[3].time_ns <= SOON_NS:
                self.publish("combinable_messages", 1, path=send.path)
                self.publish("combinable_time", call_ns, path=send.path)
