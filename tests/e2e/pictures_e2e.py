#!/usr/bin/env python3
"""Pictures in the real window: a kill at any moment loses none that was attached, and the window parses none itself."""
import argparse
import hashlib
import pathlib
import random
import shutil
import sqlite3
import struct
import sys
import zlib

from driver import Failure, HistoryFile, Window, display, expect, new_home, wait_until

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
            check_decoders(window)
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


def check_decoders(window):
    """No library that decodes pictures of strangers is in the window: Qt's own plugins neither."""
    maps = pathlib.Path(f"/proc/{window.pid}/maps").read_text()
    for library in ("libjpeg", "libwebp", "imageformats/libqjpeg", "imageformats/libqwebp", "imageformats/libqgif"):
        expect(library not in maps, f"{library} is in the window")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    arguments = parser.parse_args()
    if not shutil.which("Xvfb"):
        print("no Xvfb")
        return SKIPPED
    with display() as screen:
        check_kills(arguments.bin, screen)
    print("pictures outlive kills")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(failure)
        sys.exit(1)
