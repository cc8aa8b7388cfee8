"""What ./dev release makes, and what a release must be.    release_test.py SOURCE_DIR"""

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "packaging" / "release"))

import archive  # noqa: E402


class Sources(unittest.TestCase):
    def test_all_files_state_one_version(self):
        stated = archive.stated_versions(SOURCE)
        self.assertGreaterEqual(len(stated), 5)
        self.assertEqual(set(stated.values()), {stated["CMakeLists.txt"]}, stated)

    def test_libraries_print_through_one_function(self):
        """Programs may print; the sink of library.hpp must receive all that libraries say."""
        prints = re.compile(r"\bstd::(cout|cerr|clog)\s*<<|\bstderr\b|\bstdout\b|\b(printf|fputs|puts|perror)\s*\(|writev?\s*\(STDERR_FILENO|print \*")
        allowed = {"packages/protocol/src/library.cpp", "packages/tool/src/main.cpp", "packages/tool/src/commands.cpp"}
        found = set()
        for folder in ("packages", "adapters"):
            for path in (SOURCE / folder).rglob("*"):
                name = str(path.relative_to(SOURCE))
                if path.suffix not in (".c", ".cpp", ".hpp", ".h", ".f90", ".in") or name in allowed:
                    continue
                for line in path.read_text().splitlines():
                    code = line.split("//")[0].split("/*")[0]
                    if prints.search(code) and not line.lstrip().startswith(("*", "!")):
                        found.add(f"{name}: {line.strip()}")
        self.assertEqual(found, set())


class Archive(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for name in ("CMakeLists.txt", "CITATION.cff", "packages/protocol/include/tridap/dap.h"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, self.root / name)
        version = archive.stated_versions(SOURCE)["CMakeLists.txt"]
        for name, text in {"CHANGELOG.md": f"# Changelog\n\n## {version} (2026-02-28)\n", "ü": "x\n", ".gitignore": "build\n",
                           "packaging/debian/changelog": f"tridap ({version}-1) UNRELEASED\n", "build": "left\n",
                           "packaging/spack/package.py": f'    version("{version}", sha256="0")\n'}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        (self.root / "dev").write_text("#!/bin/sh\n")
        (self.root / "dev").chmod(0o755)
        self.git("init", "-q")
        self.commit()

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", "-C", str(self.root), *arguments], check=True,
                       stdout=subprocess.PIPE)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def packed(self, root=None):
        return archive.pack(root or self.root, "HEAD", archive.date(root or self.root))

    def test_has_the_files_of_the_commit_and_no_others(self):
        path = self.root / "a.tar.gz"
        path.write_bytes(self.packed())
        with tarfile.open(path) as unpacked:
            found = {entry.name.split("/", 1)[1]: entry for entry in unpacked}
        self.assertEqual(set(found), {"CMakeLists.txt", "CITATION.cff", "packages/protocol/include/tridap/dap.h", "CHANGELOG.md",
                                      "packaging/debian/changelog", "dev", "ü", ".gitignore"})
        self.assertEqual({entry.name.split("/")[0] for entry in found.values()},
                         {"tridap-" + archive.stated_versions(SOURCE)["CMakeLists.txt"]})
        self.assertEqual((found["dev"].mode, found["ü"].mode), (0o755, 0o644))
        self.assertEqual({(entry.uid, entry.gid, entry.uname, entry.gname) for entry in found.values()}, {(0, 0, "", "")})
        self.assertEqual({entry.mtime for entry in found.values()}, {1772236800})  # date -u -d 2026-02-28 +%s

    def test_has_the_same_bytes_whatever_the_recipe_says(self):
        before = self.packed()
        clone = self.root / "clone"
        self.git("clone", "-q", str(self.root), str(clone))
        self.assertEqual(self.packed(clone), before)
        (self.root / "packaging/spack/package.py").write_text((self.root / "packaging/spack/package.py").read_text() + "# sum\n")
        self.git("commit", "-q", "-a", "-m", "the recipe")
        self.assertEqual(self.packed(), before)
        (self.root / "ü").write_text("y\n")
        self.git("commit", "-q", "-a", "-m", "another file")
        self.assertNotEqual(self.packed(), before)

    def refused(self, text):
        with self.assertRaises(archive.Refused) as refused:
            self.packed()
        self.assertIn(text, str(refused.exception))

    def test_refuses_files_that_state_different_versions(self):
        (self.root / "CITATION.cff").write_text("version: 9.9.9\n")
        self.refused("CITATION.cff states 9.9.9, must be the same as the others")

    def test_refuses_a_changelog_without_a_date(self):
        version = archive.stated_versions(SOURCE)["CMakeLists.txt"]
        (self.root / "CHANGELOG.md").write_text(f"# Changelog\n\n## {version} (not yet released)\n")
        self.refused("CHANGELOG.md has no date of the release")

    def test_refuses_what_an_archive_cannot_have(self):
        (self.root / "link").symlink_to("dev")
        self.commit()
        path = self.root / "a.tar.gz"
        path.write_bytes(self.packed())
        with tarfile.open(path) as unpacked:
            self.assertEqual([entry.linkname for entry in unpacked if entry.issym()], ["dev"])
        (self.root / "packaging" / "out").symlink_to("../../dev")
        self.commit()
        self.refused("packaging/out is a link to ../../dev, must be one to a file of the archive")


if __name__ == "__main__":
    unittest.main(verbosity=2)
