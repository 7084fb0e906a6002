#!/usr/bin/env python3
"""What models keep on the disk of a document they have read, per 1,000 tokens: asks `ingle host`, reads nothing."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def cost(ingle, model, text, context):
    """Tokens and bytes, as the engine foretells them."""
    with tempfile.TemporaryDirectory() as folder:
        host = subprocess.Popen([ingle, "--data-dir", folder, "host"],
                                stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE,
                                encoding="utf-8")
        requests = [
            {"id": 1, "op": "hello", "version": 3},
            {"id": 2, "op": "load", "path": str(model), "options": {"contextTokens": context, "loadAnyway": True}},
            {"id": 3, "op": "read", "keeper": "1",
             "messages": [{"role": "system", "parts": [{"kind": "attachment", "text": text, "data": "text"}]}]}]
        for request in requests:
            host.stdin.write(json.dumps(request) + "\n")
        host.stdin.flush()
        for line in host.stdout:
            event = json.loads(line)
            if event["event"] == "failed":
                sys.exit(line)
            if event["event"] == "cost":
                host.kill()
                host.wait()
                return event["tokens"], event["keptBytes"]
    sys.exit("the host ended")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ingle", type=pathlib.Path)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--bytes", type=int, default=30000, help="of text")
    options = parser.parse_args()
    text = ("The lamp was lit, and the river went by in the dark. " * (options.bytes // 40))[:options.bytes]
    for model in options.models:
        tokens, kept = cost(options.ingle, model, text, 2 * options.bytes)
        print(f"{model.stem}\t{tokens} tokens\t{kept / 1e6:.1f} MB\t{kept / tokens / 1000:.2f} MB per 1,000 tokens")


main()
