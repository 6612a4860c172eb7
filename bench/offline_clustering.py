"""Clustering with all iterations at hand: what on-line clustering is measured against.

Ward's method (J. Ward, "Hierarchical Grouping to Optimize an Objective Function", 1963) by chains
of nearest neighbours, and k-means from several random starts (k-means++).  Both minimise squares,
so the best by the mean absolute error is one of few good ones, not the optimum itself.
Only iterations of one equivalence class share a cluster.
"""

import numpy

STARTS, ROUNDS = 3, 40


def scaled(values, by):
    """Metrics made comparable by their average or by their maximum; those that are 0 left out."""
    divisor = numpy.abs(values).mean(axis=0) if by == "average" else numpy.abs(values).max(axis=0)
    used = divisor > 0
    return values[:, used] / divisor[used]


def ward_merges(points):
    """All mergers of Ward's method as (cost, one member, other member)."""
    n = len(points)
    mean, size = points.copy(), numpy.ones(n)
    alive = numpy.ones(n, bool)
    merges, chain = [], []
    while len(merges) < n - 1:
        if not chain:
            chain.append(int(numpy.argmax(alive)))
        while True:
            a = chain[-1]
            difference = mean - mean[a]
            cost = numpy.einsum("ij,ij->i", difference, difference) * size * size[a] / (size + size[a])
            cost[~alive] = numpy.inf
            cost[a] = numpy.inf
            b = int(numpy.argmin(cost))
            # Of equals the one that the chain comes from, or it would never end.
            if len(chain) > 1 and cost[chain[-2]] <= cost[b]:
                b = chain[-2]
                break
            chain.append(b)
        chain = chain[:-2]
        merges.append((cost[b], a, b))
        mean[b] = (mean[a] * size[a] + mean[b] * size[b]) / (size[a] + size[b])
        size[b] += size[a]
        alive[a] = False
    return merges


class Ward:
    """Ward's clusterings of POINTS for any number of clusters."""

    def __init__(self, points, classes):
        self.count = len(points)
        self.merges = []
        for c in numpy.unique(classes):
            members = numpy.flatnonzero(classes == c)
            self.merges += [(cost, int(members[a]), int(members[b]))
                            for cost, a, b in ward_merges(points[members])]
        # Stable: a chain lists the mergers of one cluster in their order, and costs only grow.
        self.merges.sort(key=lambda merge: merge[0])

    def cut(self, clusters):
        owner = list(range(self.count))

        def find(i):
            while owner[i] != i:
                owner[i] = owner[owner[i]]
                i = owner[i]
            return i

        for _, a, b in self.merges[:max(0, self.count - clusters)]:
            owner[find(a)] = find(b)
        roots = [find(i) for i in range(self.count)]
        return numpy.unique(roots, return_inverse=True)[1]


def squares(points, centre):
    difference = points - centre
    return numpy.einsum("ij,ij->i", difference, difference)


def spread_centres(points, clusters, rng):
    """k-means++: far from those chosen before, by chance."""
    chosen = [int(rng.integers(len(points)))]
    nearest = squares(points, points[chosen[0]])
    for _ in range(clusters - 1):
        total = nearest.sum()
        at = rng.random() * total
        next_one = min(int(numpy.searchsorted(numpy.cumsum(nearest), at)), len(points) - 1)
        chosen.append(next_one)
        numpy.minimum(nearest, squares(points, points[next_one]), out=nearest)
    return points[chosen]


def lloyd(points, centres):
    """The sum of squares and the cluster of each point."""
    lengths = numpy.einsum("ij,ij->i", points, points)
    last = numpy.inf
    for _ in range(ROUNDS):
        distances = numpy.einsum("ij,ij->i", centres, centres) - 2 * points @ centres.T
        owner = distances.argmin(axis=1)
        total = float((distances[numpy.arange(len(points)), owner] + lengths).sum())
        if total > last * 0.9999:
            break
        last = total
        sizes = numpy.bincount(owner, minlength=len(centres))
        sums = numpy.stack([numpy.bincount(owner, column, len(centres)) for column in points.T], 1)
        centres = numpy.where(sizes[:, None] > 0, sums / numpy.maximum(sizes, 1)[:, None], centres)
    return total, owner


def kmeans(points, clusters, rng):
    if clusters >= len(points):
        return numpy.arange(len(points))
    runs = [lloyd(points, spread_centres(points, clusters, rng)) for _ in range(STARTS)]
    return min(runs, key=lambda run: run[0])[1]


def kmeans_in_classes(points, classes, shares, rng):
    """SHARES: clusters of each class, as Ward's method has divided them."""
    owner = numpy.zeros(len(points), int)
    used = 0
    for c in numpy.unique(classes):
        members = numpy.flatnonzero(classes == c)
        owner[members] = used + kmeans(points[members], shares[c], rng)
        used += shares[c]
    return owner


def clusterings(values, counts, classes=None):
    """Clusterings of the iterations VALUES (iterations x metrics): by number of clusters, a list
    with one of each way; CLASSES is the class of each iteration, or that for each number."""
    result = {count: [] for count in counts}
    for by in ("average", "maximum"):
        points = scaled(values, by)
        wards = {}
        for count in counts:
            members = classes[count] if isinstance(classes, dict) else classes
            if members is None:
                members = numpy.zeros(len(values), int)
            key = members.tobytes()
            if key not in wards:
                wards[key] = Ward(points, members)
            by_ward = wards[key].cut(count)
            shares = {c: len(numpy.unique(by_ward[members == c])) for c in numpy.unique(members)}
            rng = numpy.random.default_rng(count)
            result[count] += [by_ward, kmeans_in_classes(points, members, shares, rng)]
    return result
