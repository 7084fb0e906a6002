#!/usr/bin/env python3
"""ingle-serve, asked by clients from npm that nobody here wrote: OpenAI's with the guide (serve_npm/client.mjs), and
OpenAI's, Anthropic's, Vercel's, LangChain's and Ollama's with models that call a tool, in several forms of calls
(serve_npm/rounds.mjs). `./dev` installs them into build/serve_npm."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import script_model
from driver import expect
from serve_driver import Server, embedding_model, guide_path, new_folder

KEY = "the-key-of-this-very-test"
CLIENTS = pathlib.Path(__file__).parent / "serve_npm"


def asked(options, script, url, *arguments):
    run = subprocess.run([options.node, CLIENTS / script,
                          options.packages.resolve(), url, *arguments, KEY],
                         capture_output=True,
                         text=True,
                         timeout=200,
                         check=False)
    expect(run.returncode == 0, run.stderr[-3000:])
    print(run.stdout.strip())


def check_rounds(options, folder):
    models = []
    for dialect in script_model.DIALECTS:
        models.append(folder / f"{dialect}.gguf")
        script_model.write_model(models[-1], dialect)
    (folder / "rounds").mkdir()
    with Server(options.bin, folder / "rounds", *models, key=KEY) as server:
        for model in models:
            asked(options, "rounds.mjs", server.url, model.stem)
        server.stop()


def check_turns(options, folder):
    model = folder / "recurrent.gguf"
    subprocess.run([
        options.bin / "ingle", "synth", "--family", "rwkv7", "--dim", "128", "--layers", "2", "--vocab", "300", "-o",
        model
    ],
                   check=True)
    (folder / "turns").mkdir()
    with Server(options.bin, folder / "turns", model, key=KEY) as server:
        asked(options, "turns.mjs", server.url, model.stem)
        server.stop()


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
            asked(options, "client.mjs", server.url, "guide", embedder.stem)
            server.stop()
        check_rounds(options, folder)
        check_turns(options, folder)


if __name__ == "__main__":
    main()
