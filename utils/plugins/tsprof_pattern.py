"""Patterns for `tsprof waits --pattern FILE.py`, written in Python.

    from tsprof_pattern import Metric, Pattern

    class Mine(Pattern):
        metrics = [Metric("my_messages", None, "occ", "Messages that I count")]

        def on_call(self, call):
            for message in call.sent:
                self.publish("my_messages", 1, call)

A file has one class that is a Pattern, or the command names one: FILE.py:CLASS.  The command runs
it with this module in a process of its own; what is printed goes to standard error.  Functions and
what they are given are those of tsprof_pattern.h, where everything is explained.

Times are integers, in nanoseconds since the trace began; processes, threads, regions and
communicators are numbers from 0; NONE stands for "none".
"""

import collections
import importlib.util
import os
import socket
import struct
import sys
import traceback

VERSION = 2
NONE = 0xFFFFFFFF

(BARRIER, N_TO_N, ONE_TO_N, N_TO_ONE, SCAN, INIT, FINALIZE, WIN_CREATE, WIN_FREE,
 WIN_FENCE, NEIGHBORS, FILE_OPERATION) = range(12)

# name; parent: the metric that it is a part of, or None; unit: "s" (what is published are
# nanoseconds), "bytes" or "occ"; text: one sentence.
Metric = collections.namedtuple("Metric", "name parent unit text")

Point = collections.namedtuple("Point", "thread path time_ns")
Call = collections.namedtuple("Call", "enter leave_ns region process blocks arrived sent number")
Message = collections.namedtuple(
    "Message", "send receive bytes order oldest sender receiver tag comm is_buffered")
Member = collections.namedtuple("Member", "call start rank is_remote transfers sources")
Transfer = collections.namedtuple("Transfer", "target call")
Collective = collections.namedtuple("Collective", "operation comm root members")
Partner = collections.namedtuple("Partner", "ready last_ns process is_used")
Epoch = collections.namedtuple("Epoch", "window process is_exposure calls targets partners")
Locked = collections.namedtuple("Locked", "call holder progress is_transfer")
Visit = collections.namedtuple("Visit", "enter leave_ns region process")
Finding = collections.namedtuple("Finding", "metric call path amount cause")


class Pattern:
    """What patterns are made from.  A class has `metrics`, and of the functions

        begin()                     before the first event
        on_call(call)               a call of MPI, with the messages that end in it
        on_collective(collective)   a collective operation that all have left
        on_epoch(epoch)             an epoch of a window
        on_locked(locked)           a call within a lock of a window
        on_enter(visit)             a function is entered, in the order of time of its thread
        on_leave(visit)             and left
        on_severity(finding)        what a pattern of tsprof's has found
        end()                       after the last event; may publish

    those that it needs.  It must not define __init__.
    """

    metrics = []

    def begin(self):
        """Before the first event."""

    def end(self):
        """After the last event."""

    def publish(self, metric, amount, call=None, path=None):
        """AMOUNT of METRIC, its name, is CALL's, one that is being told of; or PATH's, the `path` of
        a point that was told of before."""
        if (call is None) == (path is None):
            raise TypeError("publish takes a call or a path")
        self._found(self._numbers[metric], NONE if call is None else call.number,
                    NONE if path is None else path, amount)

    def region_name(self, region):
        """The name of a region, such as "MPI_Send"."""
        return self._regions[region] if region < len(self._regions) else ""

    def rank(self, process):
        """The rank of a process in MPI_COMM_WORLD, or NONE."""
        return self._ranks[process] if process < len(self._ranks) else NONE


# The rest is for the command: utils/plugins/wire.h says what the two tell each other.

WORLD, EVENTS, END, HELLO, FOUND, DONE, FAILED = range(1, 8)
FUNCTIONS = ("on_call", "on_collective", "on_epoch", "on_locked", "on_enter", "on_leave",
             "on_severity")
CHILD_SOCKET = 3
FOUND_MOST = 1000  # severities in a frame


class Failure(Exception):
    """Why the pattern cannot be used."""


class Reader:
    """Takes numbers and texts from bytes."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, form):
        """The values of FORM, a compiled struct."""
        values = form.unpack_from(self.data, self.at)
        self.at += form.size
        return values

    def number(self):
        return self.take(U32)[0]

    def text(self):
        length = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        self.at += length
        return self.data[self.at - length:self.at].decode("utf-8", "replace")


U32 = struct.Struct("<I")
HEAD = struct.Struct("<II")
TRIPLE = struct.Struct("<III")
POINT = struct.Struct("<IIQ")
CALL = struct.Struct("<IIQQIIIII")
MESSAGE = struct.Struct("<IIQIIQQQQIIIII")
MEMBER = struct.Struct("<IIQIII")
PARTNER = struct.Struct("<IIQQII")
VISIT = struct.Struct("<IIQQII")
FINDING = struct.Struct("<IIQQI")
SEVERITY = struct.Struct("<IIIQ")


def encode_text(text):
    data = (text or "").encode()
    length, head = len(data), b""
    while length >= 0x80:
        head += bytes([length & 0x7F | 0x80])
        length >>= 7
    return head + bytes([length]) + data


def take_messages(reader, count):
    messages = []
    for _ in range(count):
        values = reader.take(MESSAGE)
        messages.append(Message(Point(*values[:3]), Point(*values[3:6]), *values[6:13],
                                values[13] != 0))
    return messages


def take_calls(reader, first):
    """The calls of an event; the first has the number FIRST."""
    calls = []
    for number in range(first, first + reader.number()):
        values = reader.take(CALL)
        arrived = take_messages(reader, values[7])
        sent = take_messages(reader, values[8])
        calls.append(Call(Point(*values[:3]), values[3], values[4], values[5], values[6] != 0,
                          arrived, sent, number))
    return calls


def take_call(reader, calls):
    return calls[0]


def take_collective(reader, calls):
    head = reader.take(TRIPLE)
    count = reader.number()
    of_transfers = iter(calls[count:])
    members = []
    for call in calls[:count]:
        values = reader.take(MEMBER)
        transfers = [Transfer(reader.number(), next(of_transfers)) for _ in range(values[5])]
        sources = [reader.number() for _ in range(reader.number())]
        members.append(Member(call, Point(*values[:3]), values[3], values[4] != 0, transfers,
                              sources))
    return Collective(*head, members)


def take_epoch(reader, calls):
    window, process, is_exposure = reader.take(TRIPLE)
    targets = [reader.number() for _ in calls]
    partners = []
    for _ in range(reader.number()):
        values = reader.take(PARTNER)
        partners.append(Partner(Point(*values[:3]), values[3], values[4], values[5] != 0))
    return Epoch(window, process, is_exposure != 0, calls, targets, partners)


def take_locked(reader, calls):
    holder, progress = Point(*reader.take(POINT)), Point(*reader.take(POINT))
    return Locked(calls[0], holder, progress, reader.number() != 0)


def take_visit(reader, calls):
    values = reader.take(VISIT)
    return Visit(Point(*values[:3]), *values[3:])


def take_finding(reader, calls):
    values = reader.take(FINDING)
    return Finding(reader.text(), calls[0] if calls else None, values[4], values[3],
                   Point(*values[:3]))


TAKERS = (take_call, take_collective, take_epoch, take_locked, take_visit, take_visit, take_finding)


class Link:
    """Frames from and to the command."""

    def __init__(self):
        self.socket = socket.socket(fileno=CHILD_SOCKET)
        self.stream = self.socket.makefile("rb")

    def receive(self):
        """(kind, bytes); the process ends with the command."""
        head = self.stream.read(HEAD.size)
        if len(head) < HEAD.size:
            os._exit(1)
        size, kind = HEAD.unpack(head)
        return kind, self.stream.read(size)

    def send(self, kind, data=b""):
        self.socket.sendall(HEAD.pack(len(data), kind) + data)


class Host:
    """Tells a pattern of events, and the command of what it finds."""

    def __init__(self, link):
        self.link = link
        self.severities = []

    def publish(self, metric, call, path, amount):
        self.severities.append(SEVERITY.pack(metric, call, path, amount))
        if len(self.severities) >= FOUND_MOST:
            self.flush()

    def flush(self):
        if self.severities:
            self.link.send(FOUND, b"".join(self.severities))
        self.severities = []

    def meet(self, make):
        """Makes the pattern by calling MAKE and tells the command what it is."""
        reader = Reader(self.link.receive()[1])
        reader.number()
        pattern = make()
        pattern._regions = [reader.text() for _ in range(reader.number())]
        pattern._ranks = [reader.number() for _ in range(reader.number())]
        pattern._numbers = {metric[0]: number for number, metric in enumerate(pattern.metrics)}
        pattern._found = self.publish
        self.pattern = pattern
        self.tellers = [getattr(pattern, name, None) for name in FUNCTIONS]
        wanted = sum(1 << kind for kind, teller in enumerate(self.tellers) if teller)
        pattern.begin()
        self.link.send(HELLO, U32.pack(VERSION) + encode_text(type(pattern).__name__)
                       + HEAD.pack(wanted, len(pattern.metrics))
                       + b"".join(encode_text(text) for metric in pattern.metrics
                                  for text in Metric(*metric)))

    def tell(self, data):
        reader = Reader(data)
        calls_before = 0
        while reader.at < len(data):
            kind = reader.number()
            calls = take_calls(reader, calls_before)
            calls_before += len(calls)
            self.tellers[kind](TAKERS[kind](reader, calls))

    def serve(self):
        kind = EVENTS
        while kind == EVENTS:
            kind, data = self.link.receive()
            if kind == EVENTS:
                self.tell(data)
            else:
                self.pattern.end()
            self.flush()
            self.link.send(DONE)


def load(path, name):
    """The class NAME ("": the only pattern) of the file PATH, as something that makes one."""
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if name:
        if not isinstance(getattr(module, name, None), type):
            raise Failure("it has no class %s" % name)
        return getattr(module, name)
    found = [value for value in vars(module).values()
             if isinstance(value, type) and issubclass(value, Pattern)
             and value.__module__ == module.__name__]
    if len(found) != 1:
        raise Failure("it has %d classes that are patterns: FILE.py:CLASS says which" % len(found))
    return found[0]


def place(error, path):
    """Where in the file PATH it went wrong."""
    if isinstance(error, SyntaxError):
        return ", line %s" % error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
             if frame.filename == path]
    return ", line %d" % lines[-1] if lines else ""


def main():
    path, name = sys.argv[1:3]
    sys.modules["tsprof_pattern"] = sys.modules["__main__"]
    link = Link()
    host = Host(link)
    try:
        host.meet(lambda: load(path, name)())
        host.serve()
    except Failure as failure:
        link.send(FAILED, encode_text(str(failure)))
    except Exception as error:  # pylint: disable=broad-except
        link.send(FAILED, encode_text("%s: %s%s" % (type(error).__name__,
                                                    getattr(error, "msg", error), place(error, path))))


if __name__ == "__main__":
    main()
