"""Wavefronts that change their direction, told a second time; see waits_oracle.py.

What was decided
- A grid has two or three dimensions of more than one place; others are left out, and so are links
  around its ends.  Of several, the one in which most messages go to neighbours, then the first.
- Where the program has none it is that of ranks in MPI_COMM_WORLD, the last dimension counted
  first, in which 95 % of the messages between processes go to neighbours, and all neighbours have
  one; with two dimensions rather than three, and with few places in the first.
- A process takes a step of a wavefront if it receives one message at most along each axis, and then
  sends one at most along each axis, to the other side; what is not received has nobody to come from,
  what is not sent has nobody to go to.  A message is received when the call that completes it is
  left, and sent when the call that starts it is entered.
- Wavefronts come from a corner if all processes of the grid have taken such a step.
- Refill: waits for the messages of the first step from another corner than that of the step before.
"""

import collections
import itertools

# By axis, counted from the last: where the lower and the upper side are.
SIDES = ("we", "ns", "ud")

End = collections.namedtuple("End", "time is_sent order axis side message")


class Grid:
    def __init__(self, sizes, places):
        kept = [axis for axis, size in enumerate(sizes) if size > 1]
        self.sizes = [sizes[axis] for axis in kept]
        self.places = {rank: [place[axis] for axis in kept] for rank, place in places.items()}

    def beside(self, one, other):
        """(axis, side of OTHER on which ONE is: -1 or 1), or None."""
        if one not in self.places or other not in self.places:
            return None
        steps = [here - there for here, there in zip(self.places[one], self.places[other])]
        if sorted(map(abs, steps)) != [0] * (len(steps) - 1) + [1]:
            return None
        axis = next(axis for axis, step in enumerate(steps) if step)
        return axis, steps[axis]

    def has_next(self, rank, axis, side):
        return 0 <= self.places[rank][axis] + side < self.sizes[axis]

    def name(self, corner):
        """Of the corner that has these sides."""
        letters = [SIDES[len(corner) - 1 - axis][side > 0] for axis, side in enumerate(corner)]
        return "".join(letters[-2:] + letters[:-2])


def numbered(ranks, sizes):
    return Grid(sizes, dict(enumerate(itertools.product(*map(range, sizes)))))


def derived(pairs, ranks):
    """The grid that PAIRS, a counter of (sender, receiver), form; None."""
    for count in (2, 3):
        for sizes in itertools.product(range(2, ranks), repeat=count):
            product = 1
            for size in sizes:
                product *= size
            if product != ranks:
                continue
            grid = numbered(ranks, sizes)
            wanted = {pair for pair in itertools.combinations(range(ranks), 2)
                      if grid.beside(*pair)}
            near = {pair: messages for pair, messages in pairs.items() if grid.beside(*pair)}
            if ({tuple(sorted(pair)) for pair in near} == wanted
                    and 100 * sum(near.values()) >= 95 * sum(pairs.values())):
                return grid
    return None


def choose(trace, messages):
    pairs = collections.Counter((message.send.rank, message.done.rank) for message in messages)
    best, most = None, 0
    for sizes, places in trace.grids:
        grid = Grid(sizes, places)
        near = sum(count for pair, count in pairs.items() if grid.beside(*pair))
        if 2 <= len(grid.sizes) <= 3 and near > most:
            best, most = grid, near
    return best or derived(pairs, len(trace.ranks))


def fits(received, sent, end):
    if end.is_sent:
        return end.axis not in sent and received.get(end.axis, -end.side) == -end.side
    return not sent and end.axis not in received


def steps(ends):
    """What may be a step each: ({axis: side it came from}, {axis: side it went to}, messages)."""
    received, sent, messages = {}, {}, []
    for end in ends:
        if not fits(received, sent, end):
            yield received, sent, messages
            received, sent, messages = {}, {}, []
        (sent if end.is_sent else received)[end.axis] = end.side
        if not end.is_sent:
            messages.append(end.message)
    yield received, sent, messages


def corner(grid, rank, received, sent):
    """Where the wavefront of a step comes from, as sides by axis; None: it is no such step."""
    sides = []
    for axis in range(len(grid.sizes)):
        side = received.get(axis, -sent[axis] if axis in sent else None)
        if (side is None or (axis in received) != grid.has_next(rank, axis, side)
                or (axis in sent) != grid.has_next(rank, axis, -side)):
            return None
        sides.append(side)
    return tuple(sides)


def find(trace, waits, add):
    """Calls ADD with the metric and the wait, of WAITS for senders, of each refill."""
    messages = [message for message in trace.messages
                if message.send.rank != message.done.rank]
    grid = choose(trace, messages)
    if grid is None:
        return
    ends = collections.defaultdict(list)
    for number, message in enumerate(messages):
        beside = grid.beside(message.send.rank, message.done.rank)
        if beside:
            axis, side = beside
            order = (message.send.enter, number)
            ends[message.done.rank].append(
                End(message.done.leave, False, order, axis, side, message))
            ends[message.send.rank].append(
                End(message.send.enter, True, order, axis, -side, message))
    taken = {rank: [(corner(grid, rank, received, sent), arrived)
                    for received, sent, arrived in steps(sorted(ends[rank], key=lambda e: e[:3]))]
             for rank in ends}
    everywhere = set.intersection(*({where for where, _ in taken.get(rank, ())} - {None}
                                    for rank in grid.places))
    late = {id(wait.message): wait for wait in waits}
    for rank in taken:
        last = None
        for where, arrived in taken[rank]:
            if where not in everywhere:
                continue
            if where != last:
                for message in arrived:
                    if id(message) in late:
                        add("wavefront_refill", late[id(message)])
                        add("wavefront_refill_" + grid.name(where), late[id(message)])
            last = where
