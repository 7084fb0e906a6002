"""The guide's checks must be able to fail: judged answers, overlaps and facts that are wrong are found."""
import pathlib
import shutil
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "resources/guide"))
import evaluate  # noqa: E402
import facts  # noqa: E402
import fill  # noqa: E402
import gguf  # noqa: E402
import overlap  # noqa: E402
import shipped  # noqa: E402


class Judging(unittest.TestCase):
    item = {"question": "?", "facts": [["drop", "drag"], ["Ctrl+L"]]}

    def test_every_fact_is_needed(self):
        self.assertTrue(evaluate.is_right(self.item, "Drag it there, or press ctrl+l."))
        self.assertFalse(evaluate.is_right(self.item, "Press Ctrl+L."))

    def test_what_must_not_be_said(self):
        self.assertFalse(
            evaluate.is_right({**self.item, "never": ["choose browse"]},
                              "Drag it there, or press Ctrl+L and choose Browse."))

    def test_lists_of_the_program_may_grow(self):
        self.assertEqual(
            evaluate.told_words("The commands are bench, chat, run.",
                                {"commands": "bench, chat, run", "key:quit": "are"}), 4)

    def test_declining_is_right_only_where_it_is_asked_for(self):
        declined = "I am only the small built-in guide and know nothing but Inglenook. Import a larger model."
        self.assertTrue(evaluate.is_right({"decline": True}, declined))
        self.assertFalse(
            evaluate.is_right({"decline": True},
                              "I am only the small built-in guide to Inglenook. Paris is the capital."))
        self.assertFalse(evaluate.is_right({"decline": True}, "Paris is the capital of France."))
        self.assertFalse(
            evaluate.is_right({"decline": True}, "I am the guide, a very small built-in model; import a larger model."))
        self.assertFalse(evaluate.is_right(self.item, declined))


class Overlap(unittest.TestCase):
    def test_five_words_in_a_row(self):
        trained = overlap.grams("Where do I find the folder of my models?")
        self.assertTrue(trained & overlap.grams("tell me, where do i find THE folder"))
        self.assertFalse(trained & overlap.grams("where do i find my models"))

    def test_stop_words_alone_do_not_count(self):
        self.assertFalse(overlap.grams("what do you do with it"))


class Meaning(unittest.TestCase):
    """The guide must be trained again when a meaning changed, and not when a text did."""

    def setUp(self):
        """A program of its own, to change it."""
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        for path in ("app/cli/commands", "app/desktop", "engine/models/families", "engine/quant/formats"):
            shutil.copytree(facts.ROOT / path, self.root / path)
        for path in ("CMakeLists.txt", "docs/features.md"):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(facts.ROOT / path, self.root / path)
        self.then = shipped.present()
        mocked = unittest.mock.patch.object(facts, "ROOT", self.root)
        mocked.start()
        self.addCleanup(mocked.stop)

    def change(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text()
        self.assertIn(old, text)
        (self.root / path).write_text(text.replace(old, new))

    def changed(self) -> list[str]:
        return [line.partition(":")[0] for line in shipped.differences(self.then, shipped.present())]

    def told(self) -> str:
        """The texts of the pieces that the build would write."""
        return "\n".join(fill.filled([f"{{{name}}}" for name in facts.collect()],
                                     facts.collect())).replace(fill.SPACE, " ")

    def test_what_changes_often_is_text(self):
        self.change("app/desktop/models/models_feature.cpp", '"Ctrl+L"', '"Ctrl+M"')
        row = '{"dance", QT_TRANSLATE_NOOP("Actions", "Dance"), "Ctrl+J", "", "", Window, {}, dance},'
        self.change("app/desktop/models/models_feature.cpp", "    return {", f"    return {{\n        {row}")
        for path in ("app/cli/commands/dance.cpp", "engine/models/families/dancer.cpp",
                     "engine/quant/formats/q9_9.cpp"):
            (self.root / path).touch()
        self.assertEqual(self.changed(), [])
        for text in ("Models: Ctrl+M", "Dance: Ctrl+J", "chat, dance, dequant", "dancer, ", "Q9_9"):
            self.assertIn(text, self.told())

    def test_what_is_gone_is_named(self):
        self.change("app/desktop/shell/app_model.cpp", '{"quit",', '{"leave",')
        (self.root / "app/cli/commands/bench.cpp").unlink()
        (self.root / "engine/models/families/qwen3.cpp").unlink()
        (self.root / "engine/quant/formats/q4_k.cpp").unlink()
        self.change("docs/features.md", "| search |", "| no |")
        self.assertEqual(self.changed(), ["commands", "families", "features", "formats", "told"])
        self.assertIn("the program has no fact {key:quit}", shipped.unknown())
        self.assertEqual(fill.filled(["{key:quit}", "quit"], facts.collect()), ["–", "quit"])

    def test_other_answers_and_another_file_are_named(self):
        # Another answer of a topic is written into the guide; a topic that it was not trained for is not.
        answers = {**self.then["answers"], "search": "others", "dancing": "new"}
        then = {**self.then, "answers": answers, "guide": "another"}
        self.assertEqual(
            shipped.differences(then, shipped.present()),
            ["answers: no longer those of the training: dancing", "guide: no longer those of the training"])

    def test_features_name_intents_that_exist(self):
        self.change("docs/features.md", "| search |", "| dancing |")
        self.assertIn("docs/features.md: the guide has no intent dancing", shipped.unknown())

    def test_an_unknown_place_is_an_error(self):
        with self.assertRaises(KeyError):
            facts.fill("Press {key:dance}.", facts.collect())


class Files(unittest.TestCase):
    def test_what_was_read_is_written_again(self):
        guide = shipped.HERE / "guide.gguf"
        metadata, tensors = gguf.read(guide)
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "copy.gguf"
            gguf.write(copy, metadata, tensors)
            self.assertEqual(gguf.read(copy), (metadata, tensors))
            copy.write_bytes(b"something else")
            with self.assertRaises(ValueError):
                gguf.read(copy)


if __name__ == "__main__":
    unittest.main()
