#!/usr/bin/env python3
"""Pictures in the real window: a kill at any moment loses none that was attached, a model that sees reads each once,
and neither window nor engine decodes any."""
import argparse
import base64
import hashlib
import os
import pathlib
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import zlib

from driver import Failure, HistoryFile, Window, display, expect, new_home, wait_until

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

SKIPPED = 77
KILLS = 4


def png(colour, width=900, height=600):
    """A picture in one colour, with noise, so that it has some bytes."""
    noise = random.Random(colour)
    rows = b"".join(b"\0" + bytes(noise.randrange(256) if x % 9 == 0 else colour for x in range(3 * width))
                    for _ in range(height))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def stored(home):
    """The hashes of the pictures in the history, each of which is that of its bytes."""
    database = sqlite3.connect(f"file:{home.history}?mode=ro", uri=True)
    rows = database.execute("SELECT hash, content FROM files").fetchall()
    database.close()
    for digest, content in rows:
        expect(hashlib.sha256(content).digest() == digest, "a stored picture is damaged")
    return {digest.hex() for digest, _ in rows}


def attached(state):
    return [each["picture"] for each in state["attached"]]


def check_kills(bin_dir, screen):
    """What the window said to be attached is there after a kill at once, and what is left is named."""
    with new_home() as home:
        files = []
        for i in range(KILLS):
            files.append(home.root / f"picture{i}.png")
            files[-1].write_bytes(png(40 * i))
        hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
        for i, file in enumerate(files):
            with Window(bin_dir, home, screen) as window:
                window.wait_for(lambda s: attached(s) == hashes[:i], "the draft of before")
                window.drop(file)
                window.wait_for(lambda s: attached(s) == hashes[:i + 1], "the picture")
                # Shown, and stored by then or a moment later.
                wait_until(lambda: hashes[i] in stored(home), "the picture in the history")
                if i % 2 == 0:
                    window.kill()
                else:
                    window.quit()
            expect(HistoryFile(home.history).integrity == "ok", "the history is damaged")
            expect(stored(home) == set(hashes[:i + 1]), "the history holds other pictures")
        with Window(bin_dir, home, screen) as window:
            window.wait_for(lambda s: attached(s) == hashes, "all pictures")
            files[0].with_name("cut.png").write_bytes(files[0].read_bytes()[:4000])
            window.drop(files[0].with_name("cut.png"))
            window.wait_for(lambda s: "damaged" in s["banner"], "one sentence")
            window.click("removePicture")
            window.wait_for(lambda s: len(attached(s)) == KILLS - 1, "one less")
            window.quit()
        # What nothing names goes at the next start.
        with Window(bin_dir, home, screen) as window:
            wait_until(lambda: stored(home) == set(hashes[1:]), "the end of the removed picture")
            window.quit()


def seeing_model():
    """A tiny random model with its vision file, of the golden set; None in a plain clone."""
    folder = pathlib.Path(os.environ.get("INGLE_GOLDEN") or REPOSITORY.parent / "shared/golden") / "vision"
    files = [folder / "text-qwen3vl.gguf", folder / "qwen3vl.mmproj.gguf"]
    return files if all(file.exists() for file in files) else None


def keep_answers_short(home):
    """For they are noise without an end. The history must be there, and nobody may have it open."""
    database = sqlite3.connect(home.history)
    database.execute("INSERT OR REPLACE INTO settings VALUES ('maxTokens', '8')")
    database.commit()
    database.close()


def ask(window, text, messages):
    """Sends what is in the field with `text`, and waits for the answer."""
    window.send_message(text)
    return window.wait_for(lambda s: len(s["messages"]) == messages and s["generationState"] == "Idle",
                           "an answer")["messages"]


def answers(home):
    """Of each answer, oldest first, how many tokens its prompt had, and how many of them were read before."""
    database = sqlite3.connect(f"file:{home.history}?mode=ro", uri=True)
    rows = database.execute("SELECT prompt_tokens, cached_tokens FROM messages WHERE role = 'assistant' ORDER BY id")
    found = rows.fetchall()
    database.close()
    return found


# 8 x 8 dots in red.
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBk"
    "eFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAAIAAgD"
    "ASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKB"
    "kaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZ"
    "mqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQF"
    "BgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5"
    "OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX"
    "2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwDHooorhPqD/9k=")
WEBP = base64.b64decode("UklGRh4AAABXRUJQVlA4TBEAAAAvB8ABAAdQjyLXo/+BiOh/AAA=")


def probed(log):
    """Who began to decode what: pairs of a program and a format."""
    return {tuple(line.split()) for line in log.read_text().splitlines()} if log.exists() else set()


def check_who_decodes(bin_dir, screen, probe, files):
    """Neither the window nor the engine parses any of them: the child that does gets no environment, so the probe is
    not in it."""
    with new_home() as home:
        log = home.root / "decoded"
        preload = {"LD_PRELOAD": str(pathlib.Path(probe).resolve()), "INGLE_PICTURE_PROBE": str(log)}
        # Whoever decodes is seen.
        (home.root / "seen.png").write_bytes(png(1, 9, 9))
        code = ("import ctypes; ctypes.CDLL('libpng16.so.16', ctypes.RTLD_GLOBAL); "
                "ctypes.CDLL(None).png_create_read_struct(b'1.6.37', None, None, None)")
        subprocess.run([sys.executable, "-c", code], env={**os.environ, **preload}, check=True)
        expect(any(form == "PNG" for _, form in probed(log)), "the probe does not see a picture being decoded")
        log.unlink()
        pictures = {"one.png": png(5, 90, 60), "two.jpg": JPEG, "three.webp": WEBP}
        for name, content in pictures.items():
            (home.root / name).write_bytes(content)
        for file in files or []:
            shutil.copy(file, home.root)
        if files:
            with Window(bin_dir, home, screen) as window:
                window.wait_for(lambda s: home.history.exists(), "the history")
                window.quit()
            keep_answers_short(home)
        with Window(bin_dir, home, screen, extra_environment=preload) as window:
            if files:
                window.drop(home.root / files[0].name)
                window.wait_for(lambda s: s["modelState"] == "Ready", "the model")
            for count, name in enumerate(pictures, 1):
                window.drop(home.root / name)
                window.wait_for(lambda s, count=count: len(attached(s)) == count, name)
            if files:
                messages = ask(window, "see", 2)
                expect(messages[1]["error"] == "", f"the answer failed: {messages[1]['error']}")
            for pid in (window.pid, window.state()["hostPid"]):
                maps = pathlib.Path(f"/proc/{pid}/maps").read_text()
                expect(pathlib.Path(probe).name in maps, f"the probe is not in the process {pid}")
                expect("libwebp" not in maps, f"the process {pid} could decode WebP")
            window.quit()
        expect(not probed(log), f"pictures were decoded by {sorted(probed(log))}")


def check_conversation(bin_dir, screen, files):
    """Sent, asked about again after a restart, exported and imported."""
    picture = png(7)
    digest = hashlib.sha256(picture).hexdigest()
    with new_home() as home:
        models = home.root / "models"
        models.mkdir()
        for file in files:
            shutil.copy(file, models)
        (home.root / "bee.png").write_bytes(picture)
        with Window(bin_dir, home, screen) as window:
            window.wait_for(lambda s: home.history.exists(), "the history")
            window.quit()
        keep_answers_short(home)
        with Window(bin_dir, home, screen) as window:
            window.drop(models / files[0].name)
            window.wait_for(lambda s: s["modelState"] == "Ready", "the model")
            window.drop(home.root / "bee.png")
            window.wait_for(lambda s: attached(s) == [digest], "the picture")
            messages = ask(window, "see", 2)
            expect(messages[0]["text"] == "bee.pngsee", f"the question is {messages[0]}")
            expect(messages[1]["error"] == "", f"the answer failed: {messages[1]['error']}")
            window.quit()
        with Window(bin_dir, home, screen) as window:
            window.wait_for(lambda s: s["modelState"] == "Ready" and len(s["messages"]) == 2, "the chat of before")
            ask(window, "tell", 4)
            first, second = answers(home)
            expect(second[1] >= first[0] - 1, f"the picture was read again: {first}, {second}")
            window.command("act", action="export", path=str(home.root / "out.json"))
            window.wait_for(lambda s: not s["exporting"] and (home.root / "out.json").exists(), "the export")
            # What is private stays in memory.
            secret = png(99)
            (home.root / "secret.png").write_bytes(secret)
            window.command("act", action="privateChat")
            window.wait_for(lambda s: s["private"], "the private chat")
            window.drop(home.root / "secret.png")
            window.wait_for(lambda s: len(attached(s)) == 1, "the private picture")
            expect(hashlib.sha256(secret).hexdigest() not in stored(home), "a private picture is in the history")
            window.quit()
        exported = (home.root / "out.json").read_text()
        expect(digest in exported, "the export has no picture")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--probe", required=True, help="the library to preload that sees pictures being decoded")
    arguments = parser.parse_args()
    if not shutil.which("Xvfb"):
        print("no Xvfb")
        return SKIPPED
    with display() as screen:
        check_kills(arguments.bin, screen)
        check_who_decodes(arguments.bin, screen, arguments.probe, seeing_model())
        if seeing_model():
            check_conversation(arguments.bin, screen, seeing_model())
    print("pictures outlive kills")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(failure)
        sys.exit(1)
