"""Runs packaging/spack/package.py with a stand-in of spack's directives, and CMake with the arguments that it makes.

    spack_recipe.py SOURCE_DIR CMAKE_CACHE SCRATCH

The stand-in knows the directives' arguments, variants and conditions. It does not know other packages.
"""

import contextlib
import inspect
import itertools
import pathlib
import re
import shutil
import subprocess
import sys
import types

SOURCE, CACHE, SCRATCH = map(pathlib.Path, sys.argv[1:])
RECIPE = SOURCE / "packaging" / "spack" / "package.py"


class Spec:
    """What was chosen: by variant, whether it is on."""

    finds_libraries = True

    def __init__(self, chosen):
        self.chosen = chosen

    def satisfies(self, condition):
        assert re.fullmatch(r"[+~]\w+", condition), condition
        return self.chosen[condition[1:]] == (condition[0] == "+")

    def __getitem__(self, name):
        assert any(name == dep.split("@")[0].split()[0] and when(self) for dep, when in CALLS["depends_on"]), \
            f"the recipe uses spec[{name!r}] where it does not depend on it"
        return types.SimpleNamespace(libs=[f"/spack/lib/lib{name}.so"] if self.finds_libraries else [])


CALLS = {"depends_on": [], "variant": {}, "version": [], "license": [], "maintainers": [], "extends": [], "conflicts": []}
CONTEXT = []  # the conditions of the `with when(...)` around a directive


def condition(own):
    """A function of a Spec that says whether a directive holds there. The variants must have been declared before."""
    wanted = [*CONTEXT, *([own] if own else [])]
    variants = [text for text in wanted if not text.startswith("^")]
    for text in variants:
        assert text[1:] in CALLS["variant"], f"when={text!r}, but the variants are {sorted(CALLS['variant'])}"
    return lambda spec: all(spec.satisfies(text) for text in variants)


def depends_on(spec, when=None, type=("build", "link"), patches=None):
    kinds = (type,) if isinstance(type, str) else type
    assert set(kinds) <= {"build", "link", "run", "test"}, kinds
    CALLS["depends_on"].append((spec, condition(when)))


def variant(name, default=None, description="", values=None, multi=None, validator=None, when=None, sticky=False):
    assert description and name not in CALLS["variant"]
    CALLS["variant"][name] = default


def version(ver, checksum=None, *, branch=None, tag=None, commit=None, sha256=None, preferred=None, deprecated=None):
    assert branch or tag or sha256
    CALLS["version"].append(ver)


def license(identifier, checked_by=None, when=None):
    CALLS["license"].append(identifier)


def maintainers(*names):
    CALLS["maintainers"] += names


def extends(spec, when=None, type=("build", "run"), patches=None):
    CALLS["extends"].append((spec, condition(when)))


def conflicts(conflict_spec, when=None, msg=None):
    CALLS["conflicts"].append((conflict_spec, condition(when)))


@contextlib.contextmanager
def when(text):
    CONTEXT.append(text)
    yield
    CONTEXT.pop()


class CMakePackage:
    run_tests = False

    def __init__(self, chosen):
        self.spec = Spec(chosen)

    def define(self, name, value):
        return f"-D{name}={'ON' if value is True else 'OFF' if value is False else value}"

    def define_from_variant(self, name, variant):
        return self.define(name, self.spec.chosen[variant])


def recipe():
    spack, build_systems = types.ModuleType("spack.package"), types.ModuleType("spack_repo.builtin.build_systems.cmake")
    for directive in depends_on, variant, version, license, maintainers, extends, conflicts, when:
        setattr(spack, directive.__name__, directive)
    spack.python = types.SimpleNamespace(path=sys.executable)
    spack.python_platlib = "/spack/lib/python/site-packages"
    build_systems.CMakePackage = CMakePackage
    for name in "spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems":
        sys.modules[name] = types.ModuleType(name)
    sys.modules["spack.package"], sys.modules["spack_repo.builtin.build_systems.cmake"] = spack, build_systems
    names = {}
    exec(compile(RECIPE.read_text(), RECIPE, "exec"), names)
    return names["Tridap"]


def arguments(package, chosen):
    args = package(chosen).cmake_args()
    assert all(re.fullmatch(r"-D\w+=.+", arg) for arg in args), args
    return dict(arg[2:].split("=", 1) for arg in args)


def check_arguments(package):
    """Each argument is an option of CMakeLists.txt, and each variant changes one."""
    known = set(re.findall(r"^(\w+):", CACHE.read_text(), re.M)) | {"BUILD_SHARED_LIBS", "Python_EXECUTABLE"}
    names = list(CALLS["variant"])
    for values in itertools.product([False, True], repeat=len(names)):
        chosen = dict(zip(names, values))
        made = arguments(package, chosen)
        assert set(made) <= known, f"not options of CMake: {set(made) - known}"
        for name in names:
            option = "BUILD_SHARED_LIBS" if name == "shared" else f"TRIDAP_{name.upper()}"
            assert made[option] == ("ON" if chosen[name] else "OFF"), f"{option} is {made[option]} for {chosen}"
    Spec.finds_libraries = False  # spack does not know the name of Debian's ScaLAPACK
    assert "TRIDAP_SCALAPACK_LIBRARY" not in arguments(package, dict.fromkeys(names, True))
    Spec.finds_libraries = True


def check_smoke(package):
    """The test of an install names its files, and what it runs is there."""
    ran = []

    class Prefix(str):
        def __getattr__(self, name):
            return Prefix(f"{self}/{name}")

    class Installed(dict):
        def __missing__(self, name):
            return types.SimpleNamespace(prefix=Prefix(f"/spack/{name}"))

    package = package({})
    package.prefix, package.spec = Prefix("/spack/tridap"), Installed()
    type(package).test_smoke.__globals__.update(
        which=lambda path, required: lambda *arguments: ran.append([path, *arguments]), get_cmake_prefix_path=lambda of: "/spack/a;/spack/b")
    package.test_smoke()
    assert [line[0] for line in ran] == ["/spack/cmake/bin/cmake", "/spack/cmake/bin/cmake", "/spack/cmake/bin/ctest"], ran
    source = ran[0][ran[0].index("-S") + 1]
    assert source == "/spack/tridap/share/tridap/smoke" and (SOURCE / "tests" / "smoke" / "CMakeLists.txt").exists(), ran


def check_versions():
    """The oldest versions are those that CMake asks for."""
    foreign, top = (SOURCE / "cmake" / "TriDAPForeign.cmake").read_text(), (SOURCE / "CMakeLists.txt").read_text()
    page = (SOURCE / "docs" / "install.md").read_text()
    asked = {"petsc": re.search(r"PETSC_VERSION VERSION_LESS ([\d.]+)", foreign)[1],
             "hdf5": re.search(r"version VERSION_LESS ([\d.]+)\)", foreign)[1],
             "python": re.search(r"find_package\(Python ([\d.]+)", foreign)[1],
             "cmake": re.search(r"cmake_minimum_required\(VERSION ([\d.]+)", top)[1],
             "trilinos": re.search(r"Trilinos ([\d.]+) or later", page)[1],
             "globalarrays": re.search(r"Global Arrays ([\d.]+),", page)[1]}
    said = {name: low for dep, _ in CALLS["depends_on"] for name, low in re.findall(r"^([\w-]+)@([\d.]+):", dep)}
    for name, low in asked.items():
        assert said.get(name) == low, f"{name}: the recipe says {said.get(name)}, CMake or docs/install.md {low}"


def check_builds(package):
    """CMake takes the arguments of a few choices: all libraries that are here, none, and some alone."""
    names = [name for name in CALLS["variant"] if name != "shared"]
    here = re.findall(r"^(\w+)[|]on[|]", (CACHE.parent / "components.txt").read_text(), re.M)
    alone = [[name] for name in ("python", "scalapack") if name in here]
    chosen = [[name for name in names if name in here], [], *alone]
    for number, on in enumerate(chosen):
        made = arguments(package, {"shared": False, **{name: name in on for name in names}})
        made.pop("TRIDAP_SCALAPACK_LIBRARY", None)  # the stand-in has none
        folder = SCRATCH / str(number)
        done = subprocess.run(["cmake", "-G", "Ninja", "-S", SOURCE, "-B", folder,
                               *(f"-D{name}={value}" for name, value in made.items())],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout
        assert "not used by the project" not in done.stdout, done.stdout
        table = dict(re.findall(r"^--   (\w+) +(on|off)", done.stdout, re.M))
        for name in names:
            assert (table[name] == "on") == (name in on), f"{name} is {table[name]} with {on}\n{done.stdout}"
        # a library that was not looked for leaves the option's value in its place
        assert not re.search(r"-l(ON|AUTO|OFF)\b", (folder / "build.ninja").read_text()), on


if __name__ == "__main__":
    shutil.rmtree(SCRATCH, ignore_errors=True)
    package = recipe()
    assert inspect.getdoc(package) and CALLS["version"] and CALLS["license"] == ["BSD-3-Clause"]
    assert not CONTEXT
    assert CALLS["maintainers"] and any(name[0].isdigit() for name in CALLS["version"])
    check_arguments(package)
    check_smoke(package)
    check_versions()
    check_builds(package)
