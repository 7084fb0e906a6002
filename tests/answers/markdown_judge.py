#!/usr/bin/env python3
"""What an answer's Markdown is shown as, block by block beside cmark-gfm: 300 answers as models write them, of pieces
that are put together at random, exported as HTML by `ingle`.

usage: markdown_judge.py INGLE [ANSWERS [SEED]]
"""
import html.parser
import itertools
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

INLINES = [
    "Plain words.", "Some **bold** and *soft* words.", "Run `ls -l` first.",
    "A [link](https://example.org/a) here.", "See https://example.org/x too.", "~~old~~ new",
    "snake_case_name and 2*3*4", "`a | b` in code", "An \\*escaped\\* star", "Line one\nline two",
    "Line one  \nhard break", "**Bold:** then text", "***both*** at once", "**bold with `code`** end",
    "a < b & c > d", "&copy; and &amp;", "Ends with a colon:", "日本語の**太字**です。", "Привет, **мир**!",
    "*a*b and **c**d", "__under__ and _em_", "A ![picture](u.png) inside", "From $5 to $6.",
    "write to me@example.org", "An &lt;b&gt; entity", "[ref] without a definition",
    "\"quotes\" and 'apostrophes'", "😀 here"
]
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"
BLOCKS = INLINES + [
    "# Title", "## Sub title", "### With `code`", "#### Four #", "Setext\n===", "Setext two\n---", "---",
    "***", "* * *", "- one\n- two\n- three", "* a\n* b", "1. first\n2. second", "3) three\n4) four",
    "- a\n  - b\n    - c\n- d", "- a\n\n  more\n\n- b", "1. one\n   - inner\n   - inner\n2. two",
    "- [ ] open\n- [x] done", "- **Bold**: text\n- `code`: text",
    "1. **Step**\n\n   ```bash\n   ls\n   ```\n\n2. Next", "- item\ncontinued",
    "```python\nprint(1)\n\nprint(2)\n```", "```\nplain\n```", "~~~js\nx\n~~~", "    indented code\n    more",
    "```text\n| no | table |\n```", "````md\n```\ninner\n```\n````", "> quote",
    "> quote\n> more\n>\n> second", "> - a\n> - b", "> ## Head\n> text", "> > nested", "> lazy\ncontinued",
    TABLE, "| a | b |\n|:--|--:|\n| 1 | **2** |\n| 3 | `4` |", "a | b\n--- | ---\n1 | 2",
    "| only |\n|---|\n| x |", "| a | b |\n|---|---|\n| x \\| y | `x \\| y` |",
    "| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |", "Text:\n" + TABLE, "**Bold line**\n" + TABLE,
    "Two\nlines:\n" + TABLE, "> Note:\n> " + TABLE.replace("\n", "\n> "),
    "- Item:\n  " + TABLE.replace("\n", "\n  "),
    "See [one] and [two][2].\n\n[one]: https://example.org/1\n[2]: https://example.org/2",
    "[x]: https://example.org/x\n\nThen [x] and [y][x]."
]
TEXTS = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "td", "th"}
SPANS = {"strong": "strong", "em": "em", "code": "code", "a": "a", "del": "s", "s": "s"}


class Blocks(html.parser.HTMLParser):
    """(lists and quotes around it, kind, text with its spans in braces) of each block."""

    def __init__(self, text, is_own):
        super().__init__()
        self.found, self.around, self.pieces, self.kind = [], [], None, ""
        self.is_own = is_own
        self.feed(text)
        self.flush()

    def begin(self, kind):
        self.flush()
        self.pieces, self.kind = [], kind

    def flush(self):
        if self.pieces is None:
            return
        text, kind = "".join(self.pieces), self.kind
        self.pieces = None
        if kind == "pre":
            text = text.rstrip("\n")
        else:
            text = re.sub(r"\s+", " ", text).strip()
            if self.is_own and kind == "p":
                text = re.sub(r"^(•|\d+\.)( [☑☐])? ?", "", text)  # what is put before an entry of a list
            text = text.replace("☑", "").replace("☐", "").strip()
        kind = "cell" if kind in ("td", "th") else "h" if kind.startswith("h") else kind
        if text or kind not in ("p", "cell"):
            self.found.append(("".join(self.around), kind, text))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        is_entry = tag == "li" or (tag == "div" and "margin-left" in attributes.get("style", ""))
        if tag == "blockquote" or is_entry:
            self.flush()
            self.around.append("-" if is_entry else ">")
            if tag == "li":
                self.begin("p")
        elif tag in ("ul", "ol"):
            self.flush()
        elif tag in TEXTS:
            self.begin(tag)
        elif tag == "hr":
            self.flush()
            self.found.append(("".join(self.around), "hr", ""))
        elif self.pieces is not None and not (tag == "code" and self.kind == "pre"):
            place = ":" + attributes.get("href", "") if tag == "a" else ""
            self.pieces += ["{" + SPANS[tag] + place + " "] if tag in SPANS else []
            self.pieces += [attributes.get("alt", "")] if tag == "img" else ["\n"] if tag == "br" else []

    def handle_endtag(self, tag):
        if tag in ("blockquote", "li", "div") and self.around:
            self.flush()
            self.around.pop()
        elif tag in TEXTS:
            self.flush()
        elif tag in SPANS and self.pieces is not None and not (tag == "code" and self.kind == "pre"):
            self.pieces.append("}")

    def handle_data(self, text):
        if self.pieces is None and text.strip() and self.around:
            self.begin("p")
        if self.pieces is not None:
            self.pieces.append(text)


def chat_of(answers):
    """An export of ChatGPT with these answers."""
    messages = {"r": {"id": "r", "message": None, "parent": None, "children": ["u0"]}}
    for i, answer in enumerate(answers):
        for name, role, text, parent, child in ((f"u{i}", "user", f"CASE{i}END", f"a{i - 1}" if i else "r", f"a{i}"),
                                                (f"a{i}", "assistant", answer, f"u{i}", f"u{i + 1}")):
            messages[name] = {
                "id": name, "parent": parent, "children": [child] if child != f"u{len(answers)}" else [], "message": {
                    "id": name, "author": {"role": role}, "create_time": 1718000000.5 + i, "recipient": "all",
                    "metadata": {}, "content": {"content_type": "text", "parts": [text]}
                }
            }
    return [{
        "title": "Case", "create_time": 1718000000.5, "update_time": 1718000000.5, "mapping": messages,
        "current_node": f"a{len(answers) - 1}"
    }]


def shown_by(ingle, answers):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "chat.json").write_text(json.dumps(chat_of(answers)))
        for what in (("import", folder / "chat.json"), ("export", folder / "chat.html")):
            subprocess.run([ingle, "--data-dir", folder / "data", "history", *what], check=True, capture_output=True)
        page = (folder / "chat.html").read_text()
    _, *parts = re.split(r"CASE(\d+)END(?:</p>)?", page)
    pieces = {int(number): text for number, text in zip(parts[::2], parts[1::2])}
    answer = re.compile(r"<h2.*?</h2>(.*?)(?=<h2|\Z)", re.DOTALL)
    return [answer.search(pieces[i]).group(1) for i in range(len(answers))]


def judged_by_cmark(answer):
    extensions = [f for name in ("table", "strikethrough", "autolink", "tasklist") for f in ("-e", name)]
    return subprocess.run(["cmark-gfm", *extensions, "--unsafe"], input=answer, capture_output=True, text=True,
                          check=True).stdout


def main():
    ingle = sys.argv[1]
    count, seed = (int(number) for number in (sys.argv[2:] + ["300", "5"][len(sys.argv) - 2:]))
    rng = random.Random(seed)
    answers = BLOCKS[:count]
    while len(answers) < count:
        answers.append("\n\n".join(rng.choice(BLOCKS) for _ in range(rng.randint(2, 4))))
    wrong = blocks = 0
    for answer, shown in zip(answers, shown_by(ingle, answers), strict=True):
        own, judged = Blocks(shown, True).found, Blocks(judged_by_cmark(answer), False).found
        blocks += len(judged)
        differing = next(((a, b) for a, b in itertools.zip_longest(own, judged) if a != b), None)
        if differing:
            wrong += 1
            print(f"---\n{answer}\n  shown {differing[0]}\n  right {differing[1]}")
    print(f"{count - wrong} of {count} answers, of {blocks} blocks, are shown as cmark-gfm has them")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    if not shutil.which("cmark-gfm"):
        print("skipped: there is no cmark-gfm")
        sys.exit(77)
    main()
