#!/usr/bin/env python3
"""The page of ingle-serve in Chromium: an answer is streamed and stopped, everything works by the keyboard alone, a
key is asked for, and nothing is asked of any other host."""
import argparse
import os
import pathlib
import shutil
import sys
import urllib.parse

from driver import Failure, expect, expect_failure, wait_until
from serve_driver import QUESTION, Server, embedding_model, guide_path, new_folder
from webdriver import DOWN, ENTER, ESCAPE, SHIFT, TAB, Browser

KEY = "the-key-of-this-very-page"
SECONDS = 30
PACE_MS = 20
SIZES = {"narrow": (360, 740), "wide": (1280, 800)}
ARTICLES = ("return [...document.querySelectorAll('article')]"
            ".map(each => each.querySelector('.text')?.textContent ?? '')")
NOTES = "return [...document.querySelectorAll('.note')].map(each => each.textContent)"
FOCUS = "return document.activeElement.id || document.activeElement.tagName"


class Page:
    def __init__(self, browser, server):
        self.browser, self.server = browser, server
        browser.open(server.url + "/")

    def is_shown(self, identifier):
        return self.browser.script("const it = document.getElementById(arguments[0]); return it.checkVisibility()",
                                   identifier)

    def articles(self):
        return self.browser.script(ARTICLES)

    def notes(self):
        return self.browser.script(NOTES)

    def focus(self):
        return self.browser.script(FOCUS)

    def wait(self, probe, what):
        try:
            return wait_until(probe, what, SECONDS)
        except Failure as failure:
            raise Failure(
                f"{failure}; the page has {self.articles()}, {self.notes()}, focus on {self.focus()}") from None

    def wait_for_models(self):
        self.wait(lambda: self.browser.script("return !document.getElementById('model').disabled"), "models")

    def wait_for_end(self):
        self.wait(lambda: self.is_shown("send") and not self.is_shown("stop"), "the end of the answer")

    def wait_for_beginning(self):
        return self.wait(lambda: self.articles() and self.articles()[-1], "the beginning of an answer")

    def check_quiet(self):
        """Nothing was complained about, and nobody else was asked."""
        complaints = [each["message"] for each in self.browser.log("browser") if each["level"] in ("SEVERE", "WARNING")]
        expect(not complaints, f"the browser complains: {complaints[:3]}")
        requests = self.browser.requests()
        expect(requests, "no request was seen")
        own = f"127.0.0.1:{self.server.port}"
        elsewhere = [
            url for url in requests
            if urllib.parse.urlsplit(url).netloc != own and not url.startswith(("data:", "chrome", "about:"))
        ]
        expect(not elsewhere, f"the page asks {elsewhere}")


def check_answer(page):
    """Typed, sent with Enter, streamed, whole; and what was said before is known."""
    page.wait_for_models()
    expect(page.focus() == "text", f"the focus is on {page.focus()} at first")
    page.browser.type(QUESTION)
    page.browser.press(ENTER)
    beginning = page.wait_for_beginning()
    page.wait_for_end()
    question, answer = page.articles()
    expect(question == QUESTION, f"{question!r} was asked")
    expect(
        answer.startswith(beginning) and len(answer) > len(beginning),
        f"it was not streamed: {beginning!r}, {answer!r}")
    expect(page.focus() == "text", "the focus does not return")
    page.browser.type("How do I search?")
    page.browser.press(ENTER)
    page.wait(lambda: len(page.articles()) == 4, "the second answer")
    page.wait_for_end()
    expect(page.articles()[1] == answer, "the first answer has changed")


def check_stop(page, how):
    """By the button or by Escape: what was said stays, and the server computes nothing more."""
    page.browser.click("#new")
    expect(not page.articles() and page.is_shown("empty") and page.focus() == "text", "a new chat is not empty")
    page.browser.type(QUESTION)
    page.browser.press(ENTER)
    page.wait_for_beginning()
    expect(page.is_shown("stop") and not page.is_shown("send"), "nothing stops it")
    page.browser.press(ESCAPE) if how == "Escape" else page.browser.click("#stop")
    page.wait_for_end()
    said = page.articles()[1]
    expect(page.notes() == ["Stopped."], f"it says {page.notes()}")
    page.server.wait_until_idle(5)
    expect(said and page.articles()[1] == said, "it goes on")
    expect(len(said) < 100, "it had ended before: nothing was tested")


def check_keyboard(page):
    """Every control, in the order in which it is seen; and a whole conversation without a mouse."""
    page.browser.open(page.server.url + "/")
    page.wait_for_models()
    order = []
    for _ in range(8):
        order.append(page.focus())
        page.browser.press(TAB)
    start = order.index("text")
    cycle = [each for each in order[start:] if each not in ("BODY", "log")]
    expect(cycle[:4] == ["text", "send", "model", "new"], f"Tab goes {order}")
    page.browser.open(page.server.url + "/")
    page.wait_for_models()
    page.browser.press((SHIFT, TAB))
    while page.focus() != "new":
        page.browser.press((SHIFT, TAB))
    page.browser.press((SHIFT, TAB))
    expect(page.focus() == "model", f"before the button there is {page.focus()}")
    page.browser.press(DOWN)
    chosen = page.browser.script("return document.getElementById('model').value")
    expect(chosen != "guide", "the arrow keys choose no model")
    page.browser.type("guide")
    expect(page.browser.script("return document.getElementById('model').value") == "guide", "letters choose no model")
    page.browser.press(TAB, TAB)
    while page.focus() != "text":
        page.browser.press(TAB)
    page.browser.type("a")
    page.browser.press((SHIFT, ENTER))
    page.browser.type("b")
    expect(page.browser.script("return document.getElementById('text').value") == "a\nb", "Shift+Enter sends")
    page.browser.press(TAB)
    expect(page.focus() == "send", f"behind the field there is {page.focus()}")
    page.browser.press(ENTER)
    page.wait_for_beginning()
    page.browser.press(ESCAPE)
    page.wait_for_end()
    expect(page.focus() == "text", "the focus is lost")


def check_wrong_model(page):
    """Only models that chat are offered. What the server refuses is told in its words, and the question is not lost."""
    page.browser.open(page.server.url + "/")
    page.wait_for_models()
    offered = page.browser.script("return [...document.getElementById('model').options].map(each => each.value)")
    expect(offered == ["guide", "gone"], f"{offered} are offered")
    page.browser.script("document.getElementById('model').value = 'gone'")
    page.browser.type("Hello")
    page.browser.press(ENTER)
    page.wait(page.notes, "a refusal")
    expect(page.notes()[0].endswith("."), f"it says {page.notes()}")
    expect(page.browser.script("return document.getElementById('text').value") == "Hello", "the question is lost")
    refused = [each["message"] for each in page.browser.log("browser") if each["level"] == "SEVERE"
              ]  # it notes the status itself
    expect(all("500" in each for each in refused), f"{refused}")


def check_policy(page):
    """The browser would tell of a breach: a script and a picture that are smuggled in are neither run nor asked for."""
    page.browser.log("browser")
    page.browser.script(
        "const made = document.createElement('div'); made.innerHTML = '<img src=\"http://elsewhere.example/x.png\" "
        "onerror=\"window.harmed = 1\">';"
        "document.body.append(made); const code = document.createElement('script'); code.textContent = "
        "'window.harmed = 1'; document.body.append(code)"
    )
    complaints = page.wait(lambda: page.browser.log("browser"), "a complaint")
    expect(any("Content Security Policy" in each["message"] for each in complaints), f"{complaints}")
    expect(page.browser.script("return window.harmed ?? null") is None, "a script was run that is not the page's")


def check_text_is_text(page):
    """What a model or a person writes is never HTML."""
    page.browser.open(page.server.url + "/")
    page.wait_for_models()
    page.browser.type("<b id=bold>x</b>")
    page.browser.press(ENTER)
    page.wait_for_beginning()
    expect(
        page.articles()[0] == "<b id=bold>x</b>"
        and not page.browser.script("return !!document.getElementById('bold')"), "it became HTML")
    page.browser.press(ESCAPE)
    page.wait_for_end()


def check_looks(page, shots):
    """In each size and scheme everything is on the screen, and texts stand out from their ground."""
    for scheme in ("light", "dark"):
        page.browser.devtools("Emulation.setEmulatedMedia",
                              features=[{"name": "prefers-color-scheme", "value": scheme}])
        for name, (width, height) in SIZES.items():
            page.browser.devtools("Emulation.setDeviceMetricsOverride",
                                  width=width,
                                  height=height,
                                  deviceScaleFactor=1,
                                  mobile=False)
            if shots:
                page.browser.screenshot(shots / f"{name}-{scheme}.png")
            wide = page.browser.script("return document.documentElement.scrollWidth")
            expect(wide <= width, f"{name}: {wide} pixels wide")
            for each in ("model", "new", "text", "send"):
                box = page.browser.script(
                    "const b = document.getElementById(arguments[0]).getBoundingClientRect(); return [b.left, "
                    "b.top, b.right, b.bottom]",
                    each)
                expect(box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height,
                       f"{name}: {each} is at {box}")
            check_contrast(page, f"{name}, {scheme}")


def check_long_name(browser, folder, bin_dir):
    """A model's long name leaves room for what stands beside it."""
    path = folder / "A-very-long-name-of-a-model-7B-Instruct-v0.3-Q4_K_M.gguf"
    path.symlink_to(guide_path(bin_dir).resolve())
    with Server(bin_dir, folder, path) as server:
        browser.devtools("Emulation.setDeviceMetricsOverride",
                         width=SIZES["narrow"][0],
                         height=SIZES["narrow"][1],
                         deviceScaleFactor=1,
                         mobile=False)
        page = Page(browser, server)
        page.wait_for_models()
        tops = browser.script(
            "return ['model', 'new'].map(each => document.getElementById(each).getBoundingClientRect().top)")
        expect(abs(tops[0] - tops[1]) < 4, f"the button has gone to a line of its own: {tops}")
        server.stop()


def check_contrast(page, where):
    """WCAG 2.2, 1.4.3: 4.5 to 1."""
    pairs = page.browser.script("""
        const ground = (it) => {
            for (; it; it = it.parentElement) { const c = getComputedStyle(it).backgroundColor;
                if (!c.endsWith(', 0)')) return c; }
            return 'rgb(255, 255, 255)';
        };
        return [...document.querySelectorAll('h1, h2, .text, .note, button, select, #empty, textarea')]
            .filter(each => each.checkVisibility())
            .map(each => [each.id || each.className || each.tagName, getComputedStyle(each).color, ground(each)])""")
    expect(len(pairs) >= 6, f"{len(pairs)} texts")
    for name, ink, paper in pairs:
        expect(contrast(ink, paper) >= 4.5, f"{where}: {name} is {ink} on {paper}")
    expect_failure(lambda: expect(contrast("rgb(150, 150, 150)", "rgb(255, 255, 255)") >= 4.5, "too faint"),
                   "grey on white stands out")


def contrast(ink, paper):
    def light(colour):
        parts = [int(each) / 255 for each in colour[colour.index("(") + 1:].rstrip(")").split(",")[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    high, low = sorted((light(ink), light(paper)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def check_key(browser, server, shots):
    """Asked for where there is one, and never kept."""
    page = Page(browser, server)
    page.wait(lambda: page.is_shown("key"), "the field for a key")
    expect(page.focus() == "key", f"the focus is on {page.focus()}")
    if shots:
        browser.screenshot(shots / "key.png")
    browser.type("not the key at all")
    browser.press(ENTER)
    page.wait(lambda: any("wrong" in each for each in page.notes()), "a refusal")
    expect(page.is_shown("key"), "it is not asked for again")
    browser.script("document.getElementById('key').select()")
    browser.type(KEY)
    browser.press(ENTER)
    page.wait_for_models()
    expect(not page.is_shown("key") and not page.notes() and page.focus() == "text",
           f"{page.notes()}, focus on {page.focus()}")
    browser.type(QUESTION)
    browser.press(ENTER)
    page.wait_for_beginning()
    page.wait_for_end()
    kept = browser.script(
        "return [localStorage.length, sessionStorage.length, document.cookie, document.getElementById('key').value]")
    expect(kept == [0, 0, "", ""], f"the page keeps {kept}")
    browser.log("browser")  # the browser notes each refusal itself


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--shots", type=pathlib.Path, help="a folder for pictures of the page")
    options = parser.parse_args()
    if not shutil.which("chromedriver"):
        print("skipped: chromium-driver is not installed")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    if options.shots:
        options.shots.mkdir(exist_ok=True)
    with new_folder() as folder:
        gone = folder / "gone.gguf"
        shutil.copy(guide_path(options.bin), gone)
        models = [guide_path(options.bin), embedding_model(options.bin, folder), gone]
        with Browser(folder) as browser:
            with Server(options.bin, folder, *models, pace_ms=PACE_MS) as server:
                page = Page(browser, server)
                check_answer(page)
                check_looks(page, options.shots)
                for how in ("Escape", "button"):
                    check_stop(page, how)
                check_keyboard(page)
                check_text_is_text(page)
                page.check_quiet()
                gone.unlink()
                check_wrong_model(page)
                check_policy(page)
                server.stop()
            with Server(options.bin, folder, *models[:2], key=KEY) as server:
                check_key(browser, server, options.shots)
                server.stop()
            check_long_name(browser, folder, options.bin)
    print("the page answers, stops, and asks nobody else")


if __name__ == "__main__":
    main()
