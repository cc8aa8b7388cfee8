"""Two captures: what moves between them, against a loop over all elements."""

import re

import pytest
from conftest import made, tridap
from oracle import Array, traffic

PAIRS = [
    (("12x8", "b,*", "4x1"), ("12x8", "*,b", "1x4")),
    (("10x9", "c:2,b", "2x2"), ("10x9", "b,c:3@1", "3x2")),
    (("60", "c:3", "4"), ("60", "b", "6")),
    (("5x4", "b,b", "2x2"), ("5x4", "b,b", "2x2")),
    (("9x7", "b,b", "3x1", "--padding", "1,1x0,0"), ("9x7", "b,c", "1x3")),
    (("3", "b", "2"), ("3", "c", "5")),
]


def opened(page, folder, before, after):
    arrays = [Array(made(folder / name, *words)) for name, words in (("before.json", before), ("after.json", after))]
    tridap("show", "--html", folder / "x.html", folder / "before.json", folder / "after.json")
    page.open(folder / "x.html")
    return arrays


def bytes_in(words):
    """The bytes that a sentence of the heat map names: all are below 1024."""
    found = re.search(r"(?:sends|keeps) (?:(\d+) B|nothing|0 B)", words)
    return int(found[1] or 0)


@pytest.mark.parametrize("before, after", PAIRS)
def test_the_heat_map_says_what_each_process_sends(page, tmp_path, before, after):
    source, target = opened(page, tmp_path, before, after)
    sent, canvas = traffic(source, target, 8), page.canvas("moves")
    for sender in range(len(source.processes)):
        for receiver in range(len(target.processes)):
            page.hover(canvas, sender, receiver)
            words = page.find("#flow").text
            assert bytes_in(words) == sent.get((sender, receiver), 0), words
            if sender == receiver:
                assert words.startswith(f"process {sender} keeps")
            else:
                assert words.startswith(f"process {sender} sends") and words.endswith(f"to process {receiver}")
    kept = sum(amount for (a, b), amount in sent.items() if a == b)
    messages = sum(1 for a, b in sent if a != b)
    summary = page.find(".moves .facts").text
    if sum(sent.values()) < 1024:
        assert summary.startswith(f"{sum(sent.values()) - kept} B of {sum(sent.values())} B are sent")
    assert f"in {messages} message" in summary


def test_more_bytes_are_darker_and_kept_bytes_another_colour(page, tmp_path):
    sent, canvas = traffic(*opened(page, tmp_path, *PAIRS[2]), 8), page.canvas("moves")
    lights, kept = {}, set()
    for (sender, receiver), amount in sent.items():
        colour = tuple(page.colour(canvas, sender, receiver))
        if sender == receiver:
            kept.add(colour)
        else:
            lights.setdefault(amount, set()).add(colour)
    assert all(len(colours) == 1 for colours in lights.values())
    by_amount = [sum(next(iter(lights[amount]))) for amount in sorted(lights)]
    assert len(by_amount) > 2 and by_amount == sorted(set(by_amount), reverse=True)  # darker on a light page
    assert not kept & set().union(*lights.values())


def test_an_element_says_where_it_is_before_and_after(page, tmp_path):
    source, target = opened(page, tmp_path, *PAIRS[1])
    for number, element in enumerate(source.elements()):
        if number % 3:  # every third element, on one side and the other
            continue
        page.hover(page.canvas("array", number % 2), *element)
        (before, here), (after, there) = source.owners(element)[0], target.owners(element)[0]
        end = "it stays" if before == after else f"it moves from process {before} to process {after}"
        assert page.says() == (f"element {element}: before: owner process {before}, local {here}; "
                               f"after: owner process {after}, local {there}; {end}")


def test_elements_that_stay_are_faded(page, tmp_path):
    source, target = opened(page, tmp_path, *PAIRS[0])
    canvas = page.canvas("array")
    strong = {element: page.colour(canvas, *element) for element in source.elements()}
    page.find("#only").click()
    for element, colour in strong.items():
        stays = source.owners(element)[0][0] == target.owners(element)[0][0]
        assert (page.colour(canvas, *element) != colour) == stays, element


def test_the_elements_of_a_pair_of_processes_are_emphasized(page, tmp_path):
    source, target = opened(page, tmp_path, *PAIRS[0])
    page.show(height=2400)  # nothing scrolls away from the pointer
    canvas = page.canvas("array", 1)
    strong = {element: page.colour(canvas, *element) for element in source.elements()}
    page.hover(page.canvas("moves"), 2, 1)
    for element, colour in strong.items():
        is_of_pair = source.owners(element)[0][0] == 2 and target.owners(element)[0][0] == 1
        assert (page.colour(canvas, *element) == colour) == is_of_pair, element


def test_arrays_of_other_shapes_are_shown_without_moves(page, tmp_path):
    opened(page, tmp_path, ("6x5", "b,b", "2x1"), ("6x4", "b,b", "2x1"))
    why = page.find(".moves .facts").text
    assert why == "Nothing can move between them: axis 1 has size 5 in the first array and 4 in the second."
    page.hover(page.canvas("array", 1), 5, 3)
    assert page.says() == "element (5, 3): owner process 1, local (2, 3)"
    opened(page, tmp_path, ("6x5", "b,b", "2x1"), ("30", "b", "2"))
    why = page.find(".moves .facts").text
    assert why == "Nothing can move between them: the first array has 2 axes, the second has 1."
    page.hover(page.canvas("array", 0), 3, 4)
    assert page.says() == "element (3, 4): owner process 1, local (0, 4)"


def test_the_table_has_the_sums_of_each_process(page, tmp_path):
    source, target = opened(page, tmp_path, *PAIRS[2])
    sent = traffic(source, target, 8)
    for process in range(6):
        cells = [cell.text for cell in page.all(f'tr[data-process="{process}"] td')][-3:]
        kept = sent.get((process, process), 0)
        sends = sum(amount for (a, b), amount in sent.items() if a == process != b)
        receives = sum(amount for (a, b), amount in sent.items() if b == process != a)
        assert cells == [f"{kept} B", f"{sends} B", f"{receives} B"]


def test_many_pairs_are_added_up_and_more_are_refused_in_words(page, tmp_path):
    opened(page, tmp_path, ("1000000", "b", "900"), ("1000000", "c", "900"))
    page.hover(page.canvas("moves"), 0, 1)
    assert re.fullmatch(r"processes 0 to \d+ send [\d.]+ KiB to processes \d+ to \d+", page.find("#flow").text)
    for shape, dists, grid, words in (("4000x4000", ("b,b", "c,c"), "45x45", "more than 1048576 pairs of processes"),
                                      ("4000000", ("b", "c"), "3000", "too many blocks or processes")):
        for name, dist in zip("ab", dists):
            made(tmp_path / f"{name}.json", shape, dist, grid)
        tridap("show", "--html", tmp_path / "x.html", tmp_path / "a.json", tmp_path / "b.json")
        page.open(tmp_path / "x.html")
        assert words in page.find(".moves .facts").text
