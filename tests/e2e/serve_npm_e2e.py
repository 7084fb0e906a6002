#!/usr/bin/env python3
"""ingle-serve, asked by the npm package that OpenAI publishes: serve_npm/client.mjs. `./dev` installs it into
build/serve_npm."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

from driver import expect
from serve_driver import Server, embedding_model, guide_path, new_folder

KEY = "the-key-of-this-very-test"
CLIENT = pathlib.Path(__file__).parent / "serve_npm/client.mjs"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    parser.add_argument("--node", default="node")
    options = parser.parse_args()
    package = options.packages / "node_modules/openai"
    if not shutil.which(options.node) or not package.is_dir():
        print(f"skipped: there is no Node, or no {package}")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    with new_folder() as folder:
        embedder = embedding_model(options.bin, folder)
        with Server(options.bin,
                    folder,
                    guide_path(options.bin),
                    embedder,
                    key=KEY,
                    arguments=["--max-answers", "24"],
                    pace_ms=5) as server:
            run = subprocess.run(
                [options.node, CLIENT,
                 options.packages.resolve(), server.url, "guide", embedder.stem, KEY],
                capture_output=True,
                text=True,
                timeout=300,
                check=False)
            expect(run.returncode == 0, run.stderr[-3000:])
            server.stop()
    print(run.stdout.strip())


if __name__ == "__main__":
    main()
