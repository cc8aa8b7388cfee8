"""Bad producers: every one is a ProtocolError with the reason, on every process alike, and none hangs or crashes."""

import collections
import collections.abc
import gc
import itertools
import pickle

import numpy as np
import pytest
import tridap
from producers import Producer, block, dict_of, line_of, listed, shared, whole
from tridap import _agree


def raised_by(call):
    """What a call raises, as an assertion where it is another thing."""
    with pytest.raises(tridap.ProtocolError) as caught:
        call()
    return caught.value


def on_one(comm, bad, good=None):
    """A bad producer on the last process, a good one on the others."""
    return bad if comm.rank == comm.size - 1 else line_of(comm) if good is None else good


def assert_all_hear(comm, given, *words):
    """Every process raises the same text, which has the words; then all of them go on together."""
    error = raised_by(lambda: tridap.asarray(given, comm))
    text = str(error)
    assert shared(comm, text) and all(word in text for word in words), text
    assert error.report.errors > 0 and tridap.check(given, comm).errors == error.report.errors
    assert "\n" not in str(error.report.findings[0])
    assert comm.allreduce(1) == comm.size and tridap.asarray(line_of(comm), comm).is_whole
    return error


class Asked:
    """A producer whose method, whatever it is, is `answer`."""

    def __init__(self, answer):
        self.answer = answer

    def __distarray__(self):
        return self.answer()


def raising(error):
    def method(*_, **__):
        raise error
    return method


class Property:
    @property
    def __distarray__(self):
        raise KeyError("no attribute today")


class Odd:
    """Raises for whatever is asked of it."""

    def __getattr__(self, name):
        raise ZeroDivisionError(name)


class Liar:
    """Says that it is a DistArray."""

    @property
    def __class__(self):
        return tridap.DistArray


class Moody:
    @property
    def __class__(self):
        raise KeyError("no class today")


class BadName(type):
    __name__ = property(raising(RuntimeError("no name")))


class Nameless(Exception, metaclass=BadName):
    def __str__(self):
        raise RuntimeError("no words")


NO_PRODUCERS = {
    "None": (None, "NoneType has no __distarray__"), "a list": ([], "list has no"), "a number": (3, "int has no"),
    "an array": (np.zeros(3), "numpy.ndarray has no"), "a class": (Producer, "the object is a class, must be an instance"),
    "no callable": (type("P", (), {"__distarray__": 3})(), "TypeError"), "returns None": (Asked(lambda: None), "returned an object of type NoneType"),
    "returns a list": (Asked(list), "returned an object of type list"), "returns itself": (Asked(lambda: Asked), "must return a dictionary"),
    "raises": (Asked(raising(OSError("the disk\nis full"))), "OSError: the disk is full"), "property": (Property(), "no attribute today"),
    "odd": (Odd(), "ZeroDivisionError"), "liar": (Liar(), "has no __distarray__"), "moody": (Moody(), "has no __distarray__"),
    "surrogates": (Asked(raising(ValueError("\ud800"))), "ValueError: \\ud800"), "nul": (Asked(raising(ValueError("a\0b"))), "ValueError: a b"),
    "nameless": (Asked(raising(Nameless())), "Nameless"), "recursion": (Asked(lambda: Asked.__distarray__(NO_PRODUCERS["recursion"][0])), "RecursionError"),
    "stops": (Asked(raising(StopIteration())), "StopIteration"), "memory": (Asked(raising(MemoryError())), "MemoryError"),
    "long": (Asked(raising(ValueError("\u00e4" * 10**6))), "ValueError: \u00e4"), "a mapping": (collections.UserDict(), "UserDict has no"),
}


@pytest.mark.parametrize("kind", NO_PRODUCERS)
def test_what_is_no_producer_is_told_on_every_process(comm, kind):
    bad, words = NO_PRODUCERS[kind]
    error = assert_all_hear(comm, on_one(comm, bad), words)
    assert {finding.process for finding in error.report.findings} == {comm.size - 1}
    assert words in str(raised_by(lambda: tridap.asarray(bad)))


def test_what_was_raised_is_the_cause_where_it_was_raised(comm):
    own = OSError("the disk is full")
    error = raised_by(lambda: tridap.asarray(on_one(comm, Asked(raising(own))), comm))
    assert error.__cause__ is (own if comm.rank == comm.size - 1 else None)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("call", [tridap.asarray, tridap.check, lambda x, comm: tridap.export(x, comm=comm)], ids=["asarray", "check", "export"])
@pytest.mark.parametrize("where", ["method", "buffer", "value", "key"])
def test_an_interrupt_is_raised_here_and_reported_elsewhere(comm, call, kind, where):
    class Interrupted:
        __dlpack__ = __repr__ = __hash__ = raising(kind())

    class Key(str):
        def __hash__(self):
            if armed:
                raise kind()
            return 1

    armed = []
    bad = {"method": lambda: Asked(raising(kind())), "buffer": lambda: dict_of(Interrupted(), block(3)),
           "value": lambda: dict_of(np.zeros(3), block(3, start=Interrupted())), "key": lambda: {**whole(3), Key("k"): 1}}[where]()
    armed.append(1)
    last = comm.rank == comm.size - 1
    try:
        report = call(on_one(comm, bad), comm)
        outcome = "told" if not report.ok and kind.__name__ in str(report.findings) else report
    except BaseException as error:
        outcome = type(error) if type(error) is kind else kind.__name__ in str(error)
    assert outcome is kind if last else outcome in ("told", True)


class Number(int):
    __index__ = __int__ = __repr__ = raising(RuntimeError("no number today"))


class Index:
    def __init__(self, answer):
        self.answer = answer

    def __index__(self):
        return self.answer() if callable(self.answer) else self.answer


INTEGERS = {
    "bool": True, "NumPy bool": np.True_, "float": 4.0, "NumPy float": np.float32(4), "NaN": float("nan"), "infinity": float("inf"),
    "complex": 4j, "text": "4", "bytes": b"4", "None": None, "2^63": 2**63, "-2^63-1": -2**63 - 1, "huge": 10**5000, "uint64": np.uint64(2**63),
    "list": [4], "0-d": np.array(4), "dict": {}, "index": Index(4), "index raises": Index(raising(RuntimeError())), "index lies": Index("4"),
    "decimal": __import__("decimal").Decimal(4), "fraction": __import__("fractions").Fraction(4), "dates": np.timedelta64(4, "s"),
    "surrogate": "\ud800", "object": object(), "class": int, "masked": np.ma.masked, "masked array": np.ma.array(4), "void": np.void(b"4"),
}


@pytest.mark.parametrize("key", ["size", "proc_grid_size", "proc_grid_rank", "start", "stop"])
@pytest.mark.parametrize("kind", INTEGERS)
def test_what_is_no_integer_names_axis_and_key(kind, key):
    report = tridap.check(dict_of(np.zeros((3, 4)), block(3), block(4, **{key: INTEGERS[kind]})))
    wrong = [f for f in report.findings if f.rule == "type.integer"]
    assert [(f.axis, f.key) for f in wrong] == [(1, key)] and wrong[0].value and str(wrong[0]).isprintable()
    assert len(str(wrong[0])) < 400


@pytest.mark.parametrize("value", [np.int8(4), np.uint8(4), np.int64(4), np.uint64(4), np.longlong(4), type("I", (int,), {})(4)], ids=lambda v: type(v).__name__)
def test_integers_of_any_kind_are_read(value):
    assert tridap.check(dict_of(np.zeros(4), block(4, size=value, stop=value))).ok


@pytest.mark.parametrize("flag", [1, 0, "true", None, 1.0, np.array(True), [], "\ud800"], ids=ascii)
@pytest.mark.parametrize("key", ["periodic", "one_to_one"])
def test_flags_are_true_or_false_only(flag, key):
    assert tridap.check(dict_of(np.zeros(3), listed(3, np.arange(3), **{key: flag}))).counts == {"type.flag": 1}


@pytest.mark.parametrize("key, value", [("size", -1), ("proc_grid_size", 0), ("proc_grid_size", -1), ("proc_grid_rank", -1), ("proc_grid_rank", 1),
                                        ("start", -1), ("stop", 5), ("stop", -2**63), ("start", 2**63 - 1), ("size", 2**63 - 1),
                                        ("padding", (-1, 0)), ("padding", (3, 3)), ("padding", (2**63 - 1,) * 2), ("padding", 3), ("padding", (1,)),
                                        ("padding", "11"), ("padding", np.array([1, 1])), ("padding", (1, 1, 1)), ("padding", (True, 0)),
                                        ("dist_type", "n"), ("dist_type", b"b"), ("dist_type", None), ("dist_type", "block"), ("dist_type", ""),
                                        ("dist_type", "\ud800"), ("dist_type", "u"), ("dist_type", "c")], ids=ascii)
def test_wrong_values_are_refused_in_both_versions(comm, key, value):
    for version in "0.9.0", "0.10.0":
        if (key, value, version) in (("dist_type", "n", "0.9.0"), ("dist_type", "c", "0.9.0"), ("dist_type", "c", "0.10.0")):
            continue
        bad = dict_of(np.zeros(4), block(4, **{key: value}), version=version)
        assert not tridap.check(bad).ok
        assert_all_hear(comm, on_one(comm, bad), "rank")


@pytest.mark.parametrize("missing", ["__version__", "buffer", "dim_data", "dist_type", "size", "proc_grid_size", "proc_grid_rank", "start", "stop"])
def test_each_missing_key_is_named(comm, missing):
    bad = whole(3)
    (bad if missing in bad else bad["dim_data"][0]).pop(missing)
    assert_all_hear(comm, on_one(comm, bad), f"'{missing}' is missing", "[key.missing]")


@pytest.mark.parametrize("version", [None, 10, 0.10, (0, 10, 0), b"0.10.0", "0.1", "0.11.0", "1.0.0", "", "\ud800", "0.10.0\n", "\u0660.10.0", np.str_("9")], ids=ascii)
def test_what_is_no_version_is_refused(comm, version):
    assert_all_hear(comm, on_one(comm, {**line_of(comm), "__version__": version}), "'__version__' is")


@pytest.mark.parametrize("dims", [None, 3, "bb", {}, {0: block(3)}, [None], [[]], [3], ["b"], [{1: 2}], [{b"size": 3}], [{"\ud800": 1}], [{None: 1}], [block(3)] * 2, (),
                                  [collections.OrderedDict(dist_type="b")], np.zeros(3), [np.zeros(3)], iter([block(3)])], ids=ascii)
def test_dim_data_of_any_other_form_is_refused(comm, dims):
    assert_all_hear(comm, on_one(comm, {**whole(3), "dim_data": dims}))


class Keys(dict):
    """A dictionary whose methods all raise."""
    __getitem__ = __iter__ = items = keys = values = get = __contains__ = __len__ = copy = raising(RuntimeError("no keys today"))


class Map(collections.abc.Mapping):
    """A mapping whose pairs are as told."""

    def __init__(self, pairs):
        self.pairs = pairs

    def items(self):
        return self.pairs() if callable(self.pairs) else self.pairs

    __getitem__ = __iter__ = __len__ = raising(RuntimeError("no keys today"))


PAIRS = {"raises": raising(RuntimeError()), "None": None, "no pairs": [1, 2], "short": [("size",)], "text": "ab", "itself": lambda: [("size", Map([]))] * 3,
         "changes": lambda: iter([("size", 3)]), "twice": [("size", 3), ("size", 4), ("dist_type", "b")]}


@pytest.mark.parametrize("pairs", PAIRS)
def test_a_mapping_that_misbehaves_is_refused(comm, pairs):
    assert_all_hear(comm, on_one(comm, dict_of(np.zeros(3), Map(PAIRS[pairs]))), "axis 0" if pairs in ("itself", "changes", "twice") else "dim_data")
    assert_all_hear(comm, on_one(comm, dict_of(np.zeros(3), Keys(block(3)))), "no keys today")


class List(list):
    __iter__ = __len__ = __getitem__ = lambda self, *how: itertools.repeat(0)


class Tuple(tuple):
    __iter__ = __len__ = __getitem__ = lambda self, *how: itertools.repeat(0)


def test_sequences_and_mappings_without_an_end_fill_no_memory():
    for kind in List, Tuple:
        assert tridap.asarray(dict_of(np.zeros(3), block(3, padding=kind([0, 0])))).shape == (3,)
        assert tridap.asarray({**whole(3), "dim_data": kind([block(3)])}).shape == (3,)
        assert tridap.asarray({**whole(3), "mine": kind([1])}).shape == (3,)
    endless = Map(lambda: (("size", i) for i in itertools.count()))
    for given in dict_of(np.zeros(3), endless), dict_of(np.zeros(3), block(3, padding=endless)):
        assert "a mapping of more than 10000 keys" in tridap.check(given).json()


def test_mappings_that_behave_are_read():
    for kind in collections.OrderedDict, collections.UserDict, lambda d: collections.ChainMap(d, {}), lambda d: __import__("types").MappingProxyType(d):
        assert tridap.asarray(dict_of(np.zeros(3), kind(block(3)))).shape == (3,)
    assert tridap.asarray(Keys(whole(3))).shape == (3,)


def test_keys_that_are_no_text_are_refused(comm):
    for key in 1, None, b"mine", (), "\ud800", np.str_("ok"):
        for bad in {**line_of(comm), key: 1}, dict_of(np.zeros(3), block(3, **{}) | {key: 1}):
            report = tridap.check(bad)
            assert report.counts == ({"extra.key": 1} if isinstance(key, np.str_) else {"type.text": 1})


def test_things_that_hold_themselves_end():
    around, twice = [], []
    around.append(around)
    twice += [twice, twice]
    loop = {"a": twice}
    loop.update(b=loop, c=loop)
    for thing in around, twice, loop, [twice] * 3, (loop, around):
        assert not tridap.check({**whole(3), "dim_data": thing}).ok
        assert not tridap.check(dict_of(np.zeros(3), thing)).ok
        assert not tridap.check(dict_of(np.zeros(3), block(3, start=thing))).ok
        assert tridap.asarray({**whole(3), "mine": thing}).__distarray__()["mine"] is thing
        assert tridap.asarray(dict_of(np.zeros(3), block(3, mine=thing))).dim_data[0]["mine"] is thing


def test_a_dictionary_that_changes_while_read_is_reported():
    class Value:
        def __repr__(self):
            given.clear()
            gc.collect()
            return "gone"

    for place in "array", "axis":
        given = whole(3) if place == "array" else block(3)
        given.update({f"mine{i}": Value() for i in range(5)})
        report = tridap.check(given if place == "array" else dict_of(np.zeros(3), given))
        assert report.counts.get("extra.key", 0) > 0 or not report.ok


def test_protocol_errors_are_value_errors_and_travel(comm):
    error = raised_by(lambda: tridap.asarray(None))
    assert isinstance(error, ValueError) and str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(error) == "\n".join(str(finding) for finding in error.report.findings)
    assert str(error) == (
        "an object of type NoneType has no __distarray__, must be an object with __distarray__, or the dictionary that it returns [type.structure]: "
        "pass an array of TriDAP, or an object whose __distarray__() returns the dictionary")
    assert "[type.structure]: pass tridap.array(array, tridap.distribution(shape)), an array over the memory" in str(
        raised_by(lambda: tridap.asarray(np.zeros(3))))


def test_the_text_is_that_of_every_language():
    assert str(raised_by(lambda: tridap.asarray(dict_of(np.zeros((3, 10)), block(3), block(10, stop=12))))).splitlines()[0] == (
        "axis 1: 'stop' is 12, must be at most size 10 [block.bounds]: give the half-open global range that the buffer holds")


def test_a_python_without_global_arrays_says_which_one_has_them():
    with pytest.raises(ImportError, match="no Global Arrays in it: run the script by tridap-python"):
        import tridap.globalarrays


class Growing:
    """Its repr() makes the list longer that it is in."""

    def __init__(self, home):
        self.home = home

    def __repr__(self):
        self.home.append(Growing(self.home))
        return "growing"


@pytest.mark.parametrize("place", ["padding", "dim_data", "indices", "extra", "__version__"])
def test_a_list_that_grows_while_it_is_read_is_read_once(place):
    home = []
    home.append(Growing(home))
    axis, said = block(3), {}
    if place == "indices":
        axis = listed(3, home)
    elif place in ("padding", "extra"):
        axis = block(3, **{place: home})
    else:
        said = {place: home}
    report = tridap.check({**dict_of(np.zeros(3), axis), **said})
    assert "growing" in report.json() and len(home) < 100


def test_a_protocol_error_of_one_process_is_raised_on_all(comm):
    """It is raised with its own text and report, on the other processes too, and is not the cause of another one."""
    last = comm.rank == comm.size - 1

    def step():
        if last:
            tridap.distribution(4, ("b",), grid=(2, 2))

    with pytest.raises(tridap.ProtocolError) as raised:
        _agree.together(comm, step, same=False)
    text = str(raised.value)
    assert "ProtocolError" not in text and raised.value.__cause__ is None and raised.value.report.findings
    assert "grid" in text and len(set(comm.allgather(text))) == 1


def test_a_list_that_is_not_of_integers_is_shown_as_it_is():
    report = tridap.check(dict_of(np.zeros(4), listed(4, [1, "a", 2]), version="0.9.0"))
    assert 'is [1, "a", 2], must be' in str(report)
