#!/usr/bin/env python3
"""`./dev release` in a copy of the repository: what it refuses, and what it leaves behind."""
import datetime
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "installer").mkdir()
        for name in ("CMakeLists.txt", "CHANGELOG.md", "installer/release.py", "installer/changes.py"):
            shutil.copy(REPOSITORY / name, self.root / name)
        (self.root / ".gitignore").write_text("__pycache__/\n")
        self.git("init", "-q")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@localhost")
        self.commit()

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "as it is")

    def changelog(self, heading):
        path = self.root / "CHANGELOG.md"
        head, separator, rest = path.read_text(encoding="utf-8").partition("\n## ")
        path.write_text(f"{head}\n{heading}\n\n- Something.\n{separator}{rest}", encoding="utf-8")

    def release(self, version):
        return subprocess.run([sys.executable, "installer/release.py", version],
                              cwd=self.root,
                              capture_output=True,
                              text=True,
                              check=False)

    def refused(self, version, reason):
        head = self.git("rev-parse", "HEAD")
        answer = self.release(version)
        self.assertEqual(answer.returncode, 1)
        self.assertIn(reason, answer.stderr)
        self.assertEqual(answer.stderr.count("\n"), 1)
        self.assertEqual(self.git("rev-parse", "HEAD"), head)
        self.assertEqual(self.git("tag"), "")

    def test_a_version_is_set_committed_and_tagged(self):
        self.changelog(f"## 7.8.9 ({datetime.date.today()})")
        self.commit()
        answer = self.release("7.8.9")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("project(Inglenook VERSION 7.8.9 ", self.git("show", "HEAD:CMakeLists.txt"))
        self.assertEqual(self.git("describe", "--exact-match"), "v7.8.9")
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertIn("already", self.release("7.8.9").stderr)

    def test_what_cannot_be_released_is_refused(self):
        self.refused("7.8", "no version")
        self.refused("7.8.9", "has no entry")
        self.changelog("## 7.8.9 (2020-01-02)")
        self.refused("7.8.9", "not committed")
        self.commit()
        self.refused("7.8.9", "dates 7.8.9 2020-01-02")


if __name__ == "__main__":
    unittest.main()
