"""The remedies that tests execute are those of the sources."""

import remedies
import test_remedies_scalapack  # noqa: F401  which fill remedies.executed
import test_remedies_solvers  # noqa: F401


def test_each_remedy_that_is_executed_is_in_a_source():
    sources = [text for _, text in remedies.in_sources()]
    assert len(remedies.executed) > 15
    for text in remedies.executed:
        assert any(text in source for source in sources), text
