"""docs/help covers every action and every command, in the program's own words, and tells no key that is none."""
import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "resources/guide"))
import facts  # noqa: E402

PAGES = {path.name: path.read_text() for path in sorted((ROOT / "docs/help").glob("*.md"))}
# Keys that are not the window's own: of texts, dialogs and terminals.
COMMON = {"Tab", "Enter", "Ctrl+C", "Ctrl+D", "Ctrl+V"}
KEY = re.compile(r"`((?:(?:Ctrl|Shift|Alt)\+)*(?:[^\s`]|F\d+|Esc|Tab|Enter|Backspace|Del|Up|Down))`")


def rows(page: str) -> list[tuple[str, str]]:
    """The two columns of the page's tables, without their heads."""
    found = re.findall(r"^\| (.+?) \| (.+?) \|$", PAGES[page], re.M)
    return [row for row in found if row not in (("action", "key"), ("command", "what it does"))]


def commands() -> list[tuple[str, str]]:
    """Names and descriptions from the table of commands."""
    sources = "".join((ROOT / f"app/cli/commands/{name}.cpp").read_text() for name in facts.commands())
    return [(f"`ingle {name}`", "".join(re.findall(r'"([^"]*)"', text)))
            for name, text in re.findall(r'Command command\{\s*"(\w+)",((?:\s*"[^"]*")+),', sources)]


class Help(unittest.TestCase):
    def test_every_action_with_its_key(self):
        self.assertEqual(rows("6-keys.md"), [(action, key) for _, action, key in facts.shortcuts()])

    def test_every_command(self):
        self.assertEqual(len(commands()), len(facts.commands()))
        self.assertEqual(rows("8-terminal.md"), commands())

    def test_every_key_in_the_text_is_one(self):
        known = {part for _, _, key in facts.shortcuts() for part in key.split()} | COMMON
        told = [key for page in PAGES.values() for key in KEY.findall(page)]
        self.assertGreater(len(told), 20)
        self.assertEqual([key for key in told if key not in known], [])

    def test_a_key_that_is_none_would_be_found(self):
        self.assertEqual(KEY.findall("press `Ctrl+Shift+X`, `F9`, `↑` or `ingle run`, not `history.sqlite`"),
                         ["Ctrl+Shift+X", "F9", "↑"])

    def test_pages_are_short_and_begin_with_their_title(self):
        for name, text in PAGES.items():
            self.assertLessEqual(len(text), 5000, name)
            self.assertEqual(len(re.findall(r"^# \S", text, re.M)), 1, name)
            self.assertTrue(text.startswith("# "), name)

    def test_good_sizes_are_those_of_the_models_offered(self):
        sizes = {int(memory): [float(number) for number in numbers] for memory, *numbers in re.findall(
            r"^\| (\d+) GB \| (\d+) to (\d+) billion[^|]*\| (\d+) to (\d+) GB \|$", PAGES["2-models.md"], re.M)}
        models = json.loads((ROOT / "resources/models.json").read_text())["models"]
        for model in [model for model in models if model["use"] != "embedding"]:
            least, most, least_gb, most_gb = sizes[model["memoryGb"]]
            self.assertTrue(least <= model["parametersBillion"] <= most, model["name"])
            self.assertTrue(least_gb <= round(model["fileGb"]) <= most_gb, model["name"])

    def test_quantizations_are_those_of_the_program(self):
        """The README and the help name types that `ingle import --quant` takes."""
        known = facts.quantizations().replace(" or ", ", ").split(", ")
        documents = {path: (ROOT / path).read_text() for path in ("README.md", "docs/what-runs.md")}
        for name, text in {**PAGES, **documents}.items():
            for quant in re.findall(r"--quant (\w+)", text):
                self.assertIn(quant, known, name)


if __name__ == "__main__":
    unittest.main()
