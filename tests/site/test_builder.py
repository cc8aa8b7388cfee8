"""The builder of the site refuses what is wrong: rules without an example, links that lead nowhere, unknown macros."""

import json
import os
import pathlib
import shutil
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs"))

from site_parts import (c_reference, command_reference, fortran_reference, links, python_reference,  # noqa: E402
                        rules_reference, staging)

TOOL, PACKAGE = pathlib.Path(os.environ["TRIDAP_TOOL"]), pathlib.Path(os.environ["TRIDAP_PACKAGE"])


@pytest.fixture
def repository(tmp_path):
    """What the examples of the rules need of the repository."""
    for path in (rules_reference.SOURCE, "packages/protocol/include/tridap/report.hpp"):
        (tmp_path / path).parent.mkdir(parents=True)
        shutil.copyfile(ROOT / path, tmp_path / path)
    for path in ("docs/reference/rules", "tests/data"):
        shutil.copytree(ROOT / path, tmp_path / path)
    return tmp_path


def examples(root):
    return list(rules_reference.examples(root, TOOL, PACKAGE))


def test_every_rule_has_an_example_that_gives_this_rule(repository):
    rows = examples(repository)
    assert len(rows) == len({rule.id for rule, *_ in rows}) == 54
    assert "block.bounds" in {rule.id for rule, *_ in rows}
    for rule, _, _, printed in rows:
        assert f"[{rule.id}]" in printed
        rules_reference.group_of(rule)


def test_a_rule_without_an_example_is_an_error(repository):
    (repository / "tests/data/rules/grid.rank.json").unlink()
    with pytest.raises(SystemExit, match="the rule grid.rank has no example"):
        examples(repository)


def test_an_example_that_gives_another_rule_is_an_error(repository):
    rules = repository / "tests/data/rules"
    shutil.copyfile(rules / "block.bounds.json", rules / "block.tiling.json")
    with pytest.raises(SystemExit, match=r"of the rule block.tiling gives \['block.bounds'\]"):
        examples(repository)


def test_an_example_that_breaks_nothing_is_an_error(repository):
    shutil.copyfile(repository / "tests/data/valid/float64_special_values.json",
                    repository / "tests/data/rules/block.tiling.json")
    with pytest.raises(SystemExit, match="of the rule block.tiling gives no rule"):
        examples(repository)


def test_an_example_of_an_unknown_rule_is_an_error(repository):
    table = repository / "docs/reference/rules/examples.json"
    table.write_text(json.dumps({**json.loads(table.read_text()), "block.bound": ["check", "x.json"]}))
    with pytest.raises(SystemExit, match=r"there is no rule \['block.bound'\]"):
        examples(repository)


def test_a_rule_that_the_table_does_not_have_is_an_error(repository):
    header = repository / "packages/protocol/include/tridap/report.hpp"
    header.write_text(header.read_text().replace("  block_bounds,\n", "  block_bounds,\n  block_colour,\n"))
    with pytest.raises(SystemExit, match="cannot read the table"):
        examples(repository)


def site(folder, **pages):
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text)
    return links.faults_of(folder)


def test_links_to_pages_and_anchors_that_exist_are_no_faults(tmp_path):
    assert site(tmp_path, a='<h1 id="x"></h1><a href="b.html#y">b</a><a href="#x">x</a><a href="https://a.org/">a</a>',
                b='<p id="y"></p><a href="a.html">a</a><a href="mailto:a@b.org">a</a>') == []


@pytest.mark.parametrize("wrong, fault", [
    ('<a href="c.html">c</a>', "a.html: c.html is no file of the site"),
    ('<img src="c.png">', "a.html: c.png is no file of the site"),
    ('<iframe src="c.html"></iframe>', "a.html: c.html is no file of the site"),
    ('<a href="b.html#z">z</a>', "a.html: b.html#z is no anchor of that page"),
    ('<a href="#z">z</a>', "a.html: #z is no anchor of that page"),
    ('<script src="https://a.org/a.js"></script>', "a.html: loads https://a.org/a.js from a network"),
    ('<link href="https://a.org/a.css">', "a.html: loads https://a.org/a.css from a network"),
    ('<svg><use xlink:href="c.svg"/></svg>', "a.html: c.svg is no file of the site"),
    ('<form action="c.html"></form>', "a.html: c.html is no file of the site"),
    ('<p id="x"></p><p id="x"></p><a href="#x">x</a>', "a.html: the anchor x is there twice"),
    ('<a href="http://a.org">a</a>', "a.html: http://a.org must begin with https:"),
    ('<a href="javascript:x()">a</a>', "a.html: javascript:x() must begin with https:"),
    ('<a href="//a.org/b">a</a>', "a.html: //a.org/b must begin with https:"),
    ('<a href="https://a/b">a</a>', "a.html: https://a/b has no host of the form name.org, but 'a'"),
    ('<a href="https://u@a.org">a</a>', "a.html: https://u@a.org has no host of the form name.org, but 'u@a.org'"),
    ('<a href="https://a.org/b c">a</a>', "a.html: https://a.org/b c has blanks, or characters that must be written as %20"),
    ('<a href="https://a.org/b.">a</a>', "a.html: https://a.org/b. ends with a mark of punctuation"),
    ('<a href="mailto:a">a</a>', "a.html: mailto:a is no address of mail")])
def test_a_link_that_leads_nowhere_is_a_fault(tmp_path, wrong, fault):
    assert site(tmp_path, a=wrong, b='<p id="y"></p>') == [fault]


def test_each_link_to_another_site_is_in_the_list(tmp_path):
    table = tmp_path / "list.txt"
    table.write_text("# Ours\nhttps://a.org/x\nhttps://b.org/\n# Of the theme\nhttps://c.org/\n")
    (tmp_path / "a.html").write_text('<a href="https://a.org/x#y">x</a> <a href="https://d.org/">d</a> <a href="b.html">b</a>')
    assert links.faults_of_list(tmp_path, table) == [
        "a.html: https://d.org/ is not in docs/site_parts/list.txt: look where it leads, and add it",
        "docs/site_parts/list.txt: https://b.org/ is on no page: take it out"]


def test_links_to_other_sites_are_sorted_and_well_formed():
    for part in links.EXTERNAL.read_text().split("# Of the theme"):
        addresses = [line for line in part.split("\n")[1:] if line]
        assert addresses and addresses == sorted(set(addresses))
        assert [links.form_fault(address) for address in addresses] == [""] * len(addresses)


def test_a_style_that_loads_a_missing_file_is_a_fault(tmp_path):
    (tmp_path / "a.css").write_text("@import url(/javascript/a.css); b { background: url('data:image/svg+xml;x') }")
    assert site(tmp_path) == ["a.css: /javascript/a.css is no file of the site"]


def staged(tmp_path, **files):
    root, pages = tmp_path / "root", tmp_path / "pages"
    for path, text in {"docs/a.md": "", "docs/in/b.md": "", "README.md": "", "adapters/x/README.md": "",
                       "src/c.cpp": "int c;", **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    pages.mkdir()
    return staging.Stage(root, pages).copy(), pages


def test_a_relative_link_becomes_a_link_between_pages(tmp_path):
    faults, pages = staged(tmp_path, **{
        "docs/a.md": "[x](../adapters/x/README.md#t) [y](in/b.md) [c](../src/c.cpp) `[n](no.md)` [h](https://a.org)\n"
                     "[`c`](../src/c.cpp) and `d` of [`x`](../adapters/x)\n```\n[n](../no.md)\n```\n",
        "adapters/x/README.md": "[a](../../docs/a.md) [r](../../README.md) [f](../x)"})
    assert faults == []
    assert (pages / "a.md").read_text() == (
        "[x](adapters/x.md#t) [y](in/b.md) [c](source/src/c.cpp.md) `[n](no.md)` [h](https://a.org)\n"
        "[`c`](source/src/c.cpp.md) and `d` of [`x`](adapters/x.md)\n```\n[n](../no.md)\n```\n")
    assert (pages / "adapters/x.md").read_text() == "[a](../a.md) [r](../readme.md) [f](x.md)"
    assert "literalinclude" in (pages / "source/src/c.cpp.md").read_text()


def test_a_relative_link_to_no_file_is_a_fault(tmp_path):
    faults, _ = staged(tmp_path, **{"README.md": "[a](src/d.cpp)"})
    assert faults == ["README.md: there is no file src/d.cpp for the link (src/d.cpp)"]


def test_an_unknown_macro_of_the_manual_page_is_an_error():
    with pytest.raises(SystemExit, match="does not know the macro .XX"):
        command_reference.markdown(".SH NAME\n.XX")


def test_the_manual_page_keeps_its_terms_and_lists():
    page = command_reference.markdown((ROOT / "packages/tool/tridap.1").read_text())
    assert "\n`check` *FILE*...\n:   Check captures" in page
    assert "\n    - `c:k@src`: the same" in page
    assert "\\f" not in page and "\n." not in page


def test_a_public_name_of_python_in_no_group_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setitem(python_reference.GROUPS, "Files", ["save", "load", "xdmf"])
    with pytest.raises(SystemExit, match=r"differ: \['load_attrs'\]"):
        python_reference.write_pages(PACKAGE, tmp_path)


HEADER = """/// Text of the file.
/// What a function returns.
typedef enum tridap_status {
  TRIDAP_OK = 0
} tridap_status;

// ---- Handles ----
// Numbers.

typedef struct tridap_array {
  uint64_t number;
} tridap_array;  ///< an array
typedef enum tridap_order { TRIDAP_ROW_MAJOR = 0 } tridap_order;
typedef struct tridap_options {
  tridap_order order;
} tridap_options;
/// Releases it.
int tridap_release(uint64_t number);
"""


def test_the_sections_of_the_header_of_c_keep_their_order():
    shown = c_reference.markdown(HEADER)
    parts = ["{doxygenenum} tridap_status", "### Handles", "Numbers.", "{doxygenstruct} tridap_array", "An array.",
             "{doxygenenum} tridap_order", "{doxygenstruct} tridap_options", "{doxygenfunction} tridap_release"]
    assert [part for part in parts if part in shown] == parts
    assert sorted(parts, key=shown.index) == parts


def test_a_function_of_c_that_is_not_shown_is_an_error():
    with pytest.raises(SystemExit, match=r"does not find \['tridap_total'\]"):
        c_reference.markdown(HEADER + "double tridap_total(void);\n")


MODULE = """!> Text of the module.
module tridap
  !> An array.
  type, public :: tridap_array
    private
    integer(int64) :: number = 0
  contains
    procedure :: ndim => ndim_of  !< u%ndim(): how many dimensions
    procedure :: rank => ndim_of
                                  !< u%rank(): the same
  end type
  ! ---- Sums -----
  public :: tridap_sum
  interface
    module integer function ndim_of(array, stat, errmsg)
      class(tridap_array), intent(in) :: array
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end function
  end interface
  !> The sum of all elements.
  interface tridap_sum
    module subroutine sum_1(array, result, &
        again, stat, errmsg)
      type(tridap_array), intent(in) :: array
      real(real32), intent(out) :: result
      logical, intent(in), optional :: again
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
  end interface
  interface tridap_sum
    module subroutine sum_2(array, result, again, stat, errmsg)
      type(tridap_array), intent(in) :: array
      real(real64), intent(out) :: result
      logical, intent(in), optional :: again
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
  end interface
end module
"""


def test_the_reference_of_fortran_merges_kinds_of_a_procedure():
    shown = fortran_reference.markdown(MODULE)
    assert "## Sums\n\n### tridap_sum\n\n```fortran\ncall tridap_sum(array, result, again=)\n```" in shown
    assert "| `result` | real(4) or real(8), out |\n| `again=` | logical |" in shown
    assert "`u%ndim()`\n:   How many dimensions.\n\n    result: integer\n" in shown
    assert "`u%rank()`\n:   The same.\n\n    result: integer\n" in shown


@pytest.mark.parametrize("lost, says", [
    ("  !> The sum of all elements.\n", "no comment before tridap_sum"), ("  !> An array.\n", "before the type tridap_array"),
    ("  !< u%ndim(): how many dimensions", "says nothing about its procedure ndim"),
    ("  public :: tridap_sum\n", None)])
def test_a_public_name_of_fortran_without_a_comment_is_an_error(lost, says):
    assert lost in MODULE
    if says:
        with pytest.raises(SystemExit, match=says):
            fortran_reference.markdown(MODULE.replace(lost, ""))
    else:
        assert "tridap_sum" not in fortran_reference.markdown(MODULE.replace(lost, ""))


def test_a_public_name_of_fortran_that_is_nowhere_is_an_error():
    with pytest.raises(SystemExit, match=r"does not find \['tridap_mean'\]"):
        fortran_reference.markdown(MODULE.replace("public :: tridap_sum", "public :: tridap_sum, tridap_mean"))
