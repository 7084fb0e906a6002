#!/usr/bin/env python3
"""What the build makes for packages agrees with the programs: manual pages, completion, desktop file, MIME types,
metainfo, dependencies. Outside validators are asked where they are installed."""
import argparse
import configparser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "installer"))
import changes  # noqa: E402
import command_table  # noqa: E402

ID = "io.github.inglenook.Inglenook"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
options = argparse.Namespace()


def text(name):
    return (options.files / name).read_text(encoding="utf-8")


def names_in_manual(program):
    """Every command, argument and option that the page has a row for, by command."""
    page = text(f"{program}.1").replace("\\-", "-")
    found, command = {}, ""
    for line in page.splitlines():
        if line.startswith(".SS "):
            command = line[4:]
        for name in re.findall(r"\\fB([^\\]+)\\fR", line):
            found.setdefault(command, set()).add(name)
    return found


def desktop_entry():
    lines = (REPOSITORY /
             f"resources/{ID}.desktop").read_text(encoding="utf-8").split("[Desktop Action")[0].splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def validated(tool, *arguments, env=None):
    """The tool's complaints; None where it is not installed."""
    if not shutil.which(tool):
        return None
    answer = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, check=False, env=env)
    return "" if answer.returncode == 0 else answer.stdout + answer.stderr


def completed(program, *words):
    """What bash offers behind these words."""
    script = (f'. "{options.files}/{program}.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
              f'compopt() {{ :; }}; _{program}; printf "%s\\n" "${{COMPREPLY[@]}}"')
    answer = subprocess.run(["bash", "-c", script, "bash", program, *words], capture_output=True, text=True, check=True)
    return answer.stdout.split()


class CommandTable(unittest.TestCase):
    def setUp(self):
        self.programs = command_table.read(options.files / "command_table.json")

    def test_names_all_programs_and_what_they_say_themselves(self):
        self.assertEqual([program.name for program in self.programs],
                         ["ingle", "ingle-serve", "ingle-bridge", "inglenook"])
        for program in self.programs:
            said = subprocess.run([options.bin / program.name, "--help"], capture_output=True, text=True,
                                  check=True).stdout
            for name in [name for option in program.switches for name in option.names]:
                self.assertIn(name, said)
            for command in program.commands:
                self.assertRegex(said, rf"(?m)^  {command.name} ")

    def test_manual_has_every_command_and_option(self):
        for program in self.programs:
            found = names_in_manual(program.name)
            for command in [program, *program.commands]:
                rows = found.get("" if command is program else command.name, set())
                for option in command.options:
                    for name in option.names or [option.positional]:
                        self.assertIn(name, rows, f"{program.name} {command.name}")
            self.assertNotIn("--no-such-option", found[""])

    def test_manual_is_sound(self):
        for program in self.programs:
            if shutil.which("groff"):
                answer = subprocess.run(
                    ["groff", "-Kutf8", "-man", "-ww", "-Tutf8", options.files / f"{program.name}.1"],
                    capture_output=True,
                    text=True,
                    check=True)
                self.assertEqual(answer.stderr, "")

    def test_bash_offers_every_command_and_option(self):
        for program in self.programs:
            if program.commands:
                self.assertEqual(completed(program.name, ""), [command.name for command in program.commands])
            for command in [program, *program.commands]:
                before = [] if command is program else [command.name]
                wanted = [name for option in command.switches for name in option.names]
                self.assertEqual(sorted(completed(program.name, *before, "-")), sorted(wanted), command.name)
        self.assertEqual(completed("ingle", "ru"), ["run"])
        self.assertEqual(completed("ingle", "run", "--backend", "v"), ["vulkan"])
        self.assertEqual(completed("ingle", "--data-dir", "x", "run", "m", "--temp"), ["--temp"])
        self.assertEqual(completed("ingle", "run", "mod"), [])  # left to the names of files

    def test_zsh_and_fish_know_every_command_and_option(self):
        for program in self.programs:
            zsh, fish = text(f"_{program.name}"), text(f"{program.name}.fish").splitlines()
            for command in [program, *program.commands]:
                mine = [line for line in fish if (f"from {command.name}'" in line) == (command is not program)]
                for name in [name for option in command.switches for name in option.names]:
                    self.assertIn(f"{name}[", zsh)
                    key = f"-l {name[2:]} " if name.startswith("--") else f"-s {name[1:]} "
                    self.assertTrue(any(key in line for line in mine), f"fish: {command.name} {name}")
            for shell, file in (("zsh", f"_{program.name}"), ("fish", f"{program.name}.fish")):
                self.assertIn(validated(shell, "-n", options.files / file), (None, ""))


class Desktop(unittest.TestCase):
    def setUp(self):
        self.metainfo = ElementTree.fromstring(text(f"{ID}.metainfo.xml"))
        self.mime = ElementTree.parse(REPOSITORY / f"resources/{ID}.mime.xml").getroot()

    def test_types_are_the_same_everywhere(self):
        types = [kind.get("type") for kind in self.mime.iter(MIME + "mime-type")]
        self.assertEqual(desktop_entry()["MimeType"].strip(";").split(";"), types)
        self.assertEqual([kind.text for kind in self.metainfo.iter("mediatype")], types)

    def test_only_gguf_is_known_by_its_content(self):
        with_magic = [
            kind.get("type") for kind in self.mime.iter(MIME + "mime-type") if kind.find(MIME + "magic") is not None
        ]
        self.assertEqual(with_magic, ["application/x-gguf"])

    def test_releases_are_those_of_the_changelog(self):
        releases = [(release.get("version"), release.get("date")) for release in self.metainfo.iter("release")]
        self.assertEqual(releases, [(release.version, str(release.date)) for release in changes.read()])
        self.assertTrue(releases)

    def test_pictures_are_in_the_repository(self):
        home = self.metainfo.find("url[@type='homepage']").text
        for image in self.metainfo.iter("image"):
            self.assertTrue(image.text.startswith(home + "/raw/main/"), image.text)
            self.assertTrue((REPOSITORY / image.text.removeprefix(home + "/raw/main/")).exists(), image.text)

    def test_validators_have_no_complaints(self):
        desktop = REPOSITORY / f"resources/{ID}.desktop"
        self.assertIn(validated("desktop-file-validate", desktop), (None, ""))
        self.assertIn(
            validated("appstreamcli", "validate", "--no-net", "--explain", options.files / f"{ID}.metainfo.xml"),
            (None, ""))
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder) / f"{ID}.desktop"
            broken.write_text(desktop.read_text(encoding="utf-8").replace("Type=", "Kind="), encoding="utf-8")
            self.assertNotEqual(validated("desktop-file-validate", broken), "")

    def test_bridge_is_started_by_whoever_wants_it(self):
        self.assertIn(validated("desktop-file-validate", REPOSITORY / "resources/io.github.inglenook.Bridge.desktop"),
                      (None, ""))
        unit = (REPOSITORY / "resources/ingle-bridge.service").read_text(encoding="utf-8")
        service = configparser.ConfigParser(interpolation=None)
        service.optionxform = str
        service.read_string(unit)
        # The window's sockets are in that folder, too.
        self.assertEqual(service["Service"]["RuntimeDirectory"], "inglenook")
        self.assertEqual(service["Service"]["RuntimeDirectoryPreserve"], "yes")
        found = unit.replace("ExecStart=ingle-bridge", f"ExecStart={options.bin.resolve()}/ingle-bridge")
        for text, is_sound in ((found, True), (found.replace("NoNewPrivileges=", "NoNewPrivilege="), False)):
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "ingle-bridge.service"
                file.write_text(text, encoding="utf-8")
                environment = {**os.environ, "XDG_RUNTIME_DIR": folder}
                complaints = validated("systemd-analyze", "--user", "verify", "--man=no", "--recursive-errors=no", file,
                                       env=environment)
                if complaints is not None:
                    self.assertEqual(complaints == "", is_sound, complaints)

    def test_window_depends_on_the_modules_it_imports(self):
        imported = set()
        for file in (REPOSITORY / "app/desktop").rglob("*.qml"):
            imported |= set(re.findall(r"^import (Qt[\w.]*)", file.read_text(encoding="utf-8"), re.MULTILINE))
        named = (REPOSITORY / "installer/CMakeLists.txt").read_text(encoding="utf-8")
        for module in imported:
            self.assertIn("qml6-module-" + module.lower().replace(".", "-"), named)


class Changelog(unittest.TestCase):
    def test_entries_are_read(self):
        entries = changes.parse(
            "# Changes\n\n## Unreleased\n- soon\n\n## 1.10.0 (2026-02-03)\nWords\nand more.\n\n- One `a`,\n"
            "  [two](x).\n- Three\n\n## 1.9.0 (2026-01-02)\n")
        self.assertEqual([entry.version for entry in entries], ["1.10.0", "1.9.0"])
        self.assertEqual(entries[0].summary, "Words and more.")
        self.assertEqual([changes.plain(point) for point in entries[0].points], ["One a, two.", "Three"])

    def test_what_is_not_understood_is_named(self):
        for wrong in ("## 1.0\n", "## 1.0.0 (2026-13-01)\n", "## 1.0.0 (2026-01-01)\n## 1.1.0 (2026-01-02)\n"):
            with self.assertRaises(ValueError):
                changes.parse(wrong)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=pathlib.Path, required=True, help="what the build made")
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
