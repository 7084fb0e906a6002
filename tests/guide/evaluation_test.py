"""The guide's checks must be able to fail: judged answers, overlaps and facts that are wrong are found."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "resources/guide"))
import evaluate  # noqa: E402
import facts  # noqa: E402
import overlap  # noqa: E402
import shipped  # noqa: E402


class Judging(unittest.TestCase):
    item = {"question": "?", "facts": [["drop", "drag"], ["Ctrl+L"]]}

    def test_every_fact_is_needed(self):
        self.assertTrue(evaluate.is_right(self.item, "Drag it there, or press ctrl+l."))
        self.assertFalse(evaluate.is_right(self.item, "Press Ctrl+L."))

    def test_declining_is_right_only_where_it_is_asked_for(self):
        declined = "I am only the small built-in guide and know nothing but Inglenook. Import a larger model."
        self.assertTrue(evaluate.is_right({"decline": True}, declined))
        self.assertFalse(evaluate.is_right({"decline": True}, "I am only the small built-in guide to Inglenook. Paris is the capital."))
        self.assertFalse(evaluate.is_right({"decline": True}, "Paris is the capital of France."))
        self.assertFalse(evaluate.is_right({"decline": True}, "I am the guide, a very small built-in model; import a larger model."))
        self.assertFalse(evaluate.is_right(self.item, declined))


class Overlap(unittest.TestCase):
    def test_five_words_in_a_row(self):
        trained = overlap.grams("Where do I find the folder of my models?")
        self.assertTrue(trained & overlap.grams("tell me, where do i find THE folder"))
        self.assertFalse(trained & overlap.grams("where do i find my models"))

    def test_stop_words_alone_do_not_count(self):
        self.assertFalse(overlap.grams("what do you do with it"))


class Facts(unittest.TestCase):
    def test_a_changed_fact_is_named(self):
        now = shipped.present()
        self.assertEqual(shipped.differences(now, now), [])
        then = {**now, "shortcuts": {**now["shortcuts"], "Models": "Ctrl+M"}, "features": now["features"][1:], "answers": "others", "guide": "another"}
        self.assertEqual([line.partition(":")[0] for line in shipped.differences(then, now)], ["answers", "features", "guide", "shortcuts"])

    def test_an_unknown_placeholder_is_an_error(self):
        with self.assertRaises(KeyError):
            facts.fill("Press {key:Dance}.", facts.collect())


if __name__ == "__main__":
    unittest.main()
