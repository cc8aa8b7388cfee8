"""The drawing of the components and of their links, from the list that CMake writes of its targets."""

from math import fsum

from paper import Paper

NAMES = {0: "the protocol", 3: "packages", 4: "adapters", 6: "languages"}
STEP, BOX = 92, 34


def read(path):
    """{name: (layer, the components that it links, the foreign libraries that it links)}"""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, layer, links, foreign = line.rstrip("\n").split("|")
            found[name] = (int(layer), links.split(), foreign.split())
    return found


def below(graph, name):
    """Everything that `name` links, at any distance."""
    links = set(graph[name][1])
    return links.union(*(below(graph, link) for link in links)) if links else links


def needed(graph):
    """The links that follow from no chain of other links."""
    return [(name, link) for name, (_, links, _) in graph.items() for link in links
            if not any(link in below(graph, other) for other in links if other != link)]


def rows_of(graph):
    """The rows from layer 0 up, with the corners of links that pass a row, and the links between neighbouring rows."""
    rows = [[name for name, (layer, _, _) in graph.items() if layer == row]
            for row in range(1 + max(layer for layer, _, _ in graph.values()))]
    steps, chains = [], []
    for name, link in needed(graph):
        chain = [link]
        for row in range(graph[link][0] + 1, graph[name][0]):
            corner = f"{link}>{name}@{row}"
            rows[row].append(corner)
            chain.append(corner)
        chain.append(name)
        chains.append(chain)
        steps += zip(chain, chain[1:])
    return rows, steps, chains


def width(node):
    return 10 if "@" in node else 22 + 7.6 * max(len(node), 4)


def place(rows, steps):
    """The x of each node: near the mean of its neighbours, in an order with few crossings."""
    near = {node: [] for row in rows for node in row}
    for low, high in steps:
        near[low].append(high)
        near[high].append(low)
    x = {node: 60.0 * number for row in rows for number, node in enumerate(row)}
    for turn in range(60):
        for row in rows if turn % 2 else reversed(rows):
            row.sort(key=lambda node: (fsum(x[other] for other in near[node]) / len(near[node]), node))
            wanted = [fsum(x[other] for other in near[node]) / len(near[node]) for node in row]
            gaps = [(width(a) + width(b)) / 2 + 16 for a, b in zip(row, row[1:])]
            placed = wanted[:1]
            for want, gap in zip(wanted[1:], gaps):
                placed.append(max(want, placed[-1] + gap))
            shift = fsum(want - at for want, at in zip(wanted, placed)) / len(row)
            for node, at in zip(row, placed):
                x[node] = at + shift
    least = min(x[node] - width(node) / 2 for node in x)
    return {node: round(at - least + 130) for node, at in x.items()}


def components(path):
    graph = read(path)
    rows, steps, chains = rows_of(graph)
    x = place(rows, steps)
    high = 40 + STEP * len(rows)
    paper = Paper(max(x[node] + width(node) / 2 for node in x) + 20, high, "The components of TriDAP and their links")

    def top(row):
        return high - 40 - STEP * row - BOX

    for chain in chains:
        first, last = graph[chain[0]][0], graph[chain[-1]][0]
        points = [(x[chain[0]], top(first))]
        for row, corner in enumerate(chain[1:-1], first + 1):
            points += [(x[corner], top(row) + BOX), (x[corner], top(row))]
        end = (x[chain[-1]], top(last) + BOX)
        paper.curve([*points, end], "thin")
    for row, nodes in enumerate(rows):
        if row in NAMES:
            paper.text(20, top(row) + BOX / 2 + 4, NAMES[row], "small muted")
        for node in nodes:
            if "@" not in node:
                kind = "ours" if row < 4 else "theirs"
                paper.box(x[node] - width(node) / 2, top(row), width(node), BOX, kind, node)
    return paper
