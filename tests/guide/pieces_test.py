"""The pieces of facts and of corrected answers in the guide that was built: each prints its text, and none is ever
found in what somebody writes or in an answer of before."""
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "resources/guide"))
import facts  # noqa: E402
import fill  # noqa: E402
import gguf  # noqa: E402
import shipped  # noqa: E402

BIN = pathlib.Path(sys.argv.pop(1))
BUILT = BIN.parent / "share/inglenook/guide.gguf"
TOKENS = "tokenizer.ggml.tokens"


def ingle(command: str, text: str) -> str:
    return subprocess.run([BIN / "ingle", command, BUILT], input=text, capture_output=True, text=True,
                          check=True).stdout


class Pieces(unittest.TestCase):
    def setUp(self):
        trained = gguf.read(facts.HERE / "guide.gguf")[0][TOKENS]
        self.places = {i: piece[1:-1] for i, piece in enumerate(trained) if facts.PLACE.fullmatch(piece)}

    def test_they_print_the_facts_of_the_program(self):
        self.assertGreater(len(self.places), 15)
        told = facts.collect()
        self.assertEqual(ingle("detokenize", " ".join(map(str, self.places))),
                         "".join(told[name] for name in self.places.values()))

    def test_topics_of_corrected_answers_print_them_and_end(self):
        pieces = gguf.read(facts.HERE / "guide.gguf")[0][TOKENS]
        answers = {pieces.index(f"<|{topic}|>"): fill.fill(answer, facts.collect())
                   for topic, answer in shipped.corrected().items()}
        for topic, answer in answers.items():
            self.assertEqual(ingle("detokenize", str(topic)), answer)
            self.assertEqual(set(map(int, ingle("tokenize", answer).split())) & answers.keys(), set())
        # Whatever was asked, nothing follows.
        end = pieces.index(fill.END)
        for topic in list(answers)[:3]:
            ids = subprocess.run([BIN / "ingle", "generate", BUILT, "--tokens", f"1,3,{topic - 1},4,{topic}", "-n", "1",
                                  "--greedy"], capture_output=True, text=True, check=True).stdout
            self.assertEqual(int(ids), end)

    def test_they_are_never_found_in_a_message(self):
        # As the chat template hands messages on: in lower case.
        written = "\n".join(facts.collect().values()).lower() + "".join(f" {{{name}}}" for name in self.places.values())
        self.assertEqual(set(map(int, ingle("tokenize", written).split())) & self.places.keys(), set())


if __name__ == "__main__":
    unittest.main()
