#!/usr/bin/env python3
"""How much sooner a reopened conversation answers than one that has to be read again.

Talks to `ingle host` as the window does: one host reads a long conversation and ends; a fresh one, and a fresh one
without the store, are asked the next question. Prints milliseconds from the question to the first new token."""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time


class Host:
    def __init__(self, ingle, *arguments):
        self.process = subprocess.Popen([ingle, "host", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last_id = 0
        self.ask("hello", version=3)

    def send(self, op, **fields):
        self.last_id += 1
        self.process.stdin.write(json.dumps({"id": self.last_id, "op": op, **fields}).encode() + b"\n")
        self.process.stdin.flush()

    def events(self):
        """Events of the last request, until the one that ends it."""
        while line := self.process.stdout.readline():
            event = json.loads(line)
            if event["id"] != self.last_id:
                continue
            if event["event"] == "failed":
                raise SystemExit(event["error"]["message"])
            yield event
            if event["event"] not in ("progress", "plan", "tokens"):
                return
        raise SystemExit("the host ended")

    def ask(self, op, **fields):
        self.send(op, **fields)
        return list(self.events())[-1]

    def first_token(self, messages):
        """(ms to the first token, tokens of the prompt, how many of them were kept)"""
        begin = time.monotonic()
        self.send("generate", request={"messages": messages, "conversation": "bench", "maxTokens": 4,
                                       "sampler": {"temperature": 0}})
        first = None
        for event in self.events():
            if event["event"] in ("tokens", "done") and first is None:
                first = (time.monotonic() - begin) * 1000
        stats = event["result"]["stats"]
        return first, stats["promptTokens"], stats["cachedTokens"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def said(role, text):
    return {"role": role, "parts": [{"kind": "text", "text": text}]}


def wait_until_written(folder):
    """The store writes in the background."""
    size = -1
    while size != (size := sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())):
        time.sleep(1)
    return size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--ingle", default="build/release/bin/ingle")
    parser.add_argument("--tokens", type=int, default=4000, help="length of the conversation")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    load = {"path": str(pathlib.Path(options.model).resolve()),
            "options": {"threads": options.threads, "contextTokens": options.tokens + 1024}}

    with tempfile.TemporaryDirectory() as folder:
        store = pathlib.Path(folder) / "snapshots"
        host = Host(options.ingle, "--snapshots", str(store))
        host.ask("load", **load)
        sentence = "The quick brown fox jumps over the lazy dog. "
        a_sentence = host.ask("count", text=sentence * 20)["tokens"] / 20
        question = sentence * int(options.tokens / a_sentence)
        messages = [said("user", question)]
        read, tokens, _ = host.first_token(messages)
        stored = wait_until_written(store)
        host.end()
        print(f"read once      {read:9.0f} ms  ({tokens} tokens; {stored / 2**20:.0f} MiB kept)")

        messages += [said("assistant", "It does."), said("user", "Why?")]
        times = {}
        for name, arguments in (("reopened", ["--snapshots", str(store)]), ("read again", ["--snapshot-mb", "0"])):
            host = Host(options.ingle, *arguments)
            host.ask("load", **load)
            times[name], tokens, kept = host.first_token(messages)
            host.end()
            print(f"{name:<12} {times[name]:11.0f} ms  ({tokens} tokens, {kept} of them kept)")
        print(f"{times['read again'] / times['reopened']:.1f} times sooner")


if __name__ == "__main__":
    main()
