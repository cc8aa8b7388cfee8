"""Each remedy of the sources is executed by a test, or listed with the reason why none does."""

import remedies


def test_each_remedy_that_is_executed_is_in_a_source():
    sources = [text for _, text in remedies.in_sources()]
    executed = remedies.executed()
    assert len(executed) > 15
    for text, tests in executed.items():
        assert any(text in source for source in sources), (text, tests)


def test_each_remedy_is_executed_or_listed():
    executed = remedies.executed()
    listed = remedies.listed()
    unknown = [f"{file}: {text}" for file, text in remedies.advising()
               if not any(remedy in text for remedy in executed)
               and not any(file == where and part in text for where, part, _ in listed)]
    assert not unknown, "add a test with @remedy, or a line to remedies_listed.tsv:\n" + "\n".join(unknown)


def test_each_line_of_the_list_is_needed():
    executed = remedies.executed()
    advising = remedies.advising()
    for where, part, why in remedies.listed():
        texts = [text for file, text in advising if file == where and part in text]
        assert texts, f"{where} has no such remedy: {part}"
        assert any(not any(remedy in text for remedy in executed) for text in texts), f"executed, and listed: {where}: {part}"
        assert len(why.split()) > 2, part
