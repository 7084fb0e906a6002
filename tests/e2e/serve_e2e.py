#!/usr/bin/env python3
"""The real ingle-serve and its engine, asked by a client of Python's standard library: what is answered and refused,
its life, many clients at once, malformed requests, what it asks of the system, and every command of docs/serve.md."""
import argparse
import pathlib
import re
import subprocess
import sys

import serve_answers
import serve_life
import serve_load
import serve_malformed
import serve_memory
import serve_refusals
from driver import expect
from serve_driver import Background, Server, embedding_model, guide_path, new_folder

DOCS = pathlib.Path(__file__).parents[2] / "docs/serve.md"
# What the page's commands are written for.
DOCS_URL = "http://127.0.0.1:8080"


def check_docs(server, embedder):
    """Every command of the page does what it says, and its program prints an answer."""
    text = DOCS.read_text()
    commands = [
        line for block in re.findall(r"```sh\n(.*?)```", text, re.S)
        for line in block.replace("\\\n", " ").splitlines() if line.startswith("curl ")
    ]
    expect(len(commands) >= 8, f"{len(commands)} commands were found")
    for command in commands:
        expect(DOCS_URL in command or "--unix-socket" in command, f"whom does it ask? {command}")
        command = command.replace(DOCS_URL,
                                  server.url).replace("bge-small",
                                                      embedder).replace("$XDG_RUNTIME_DIR/inglenook/serve.sock",
                                                                        str(server.socket_path))
        run = subprocess.run(
            ["bash", "-c", command.replace("curl ", "curl -sS --fail-with-body --max-time 60 ", 1)],
            capture_output=True,
            text=True,
            check=False)
        expect(run.returncode == 0 and run.stdout, f"{command}\n{run.stdout}{run.stderr}")
    programs = re.findall(r"```python\n(.*?)```", text, re.S)
    expect(programs, "the page has no program")
    for program in programs:
        run = subprocess.run([sys.executable, "-c", program.replace(DOCS_URL, server.url)],
                             capture_output=True,
                             text=True,
                             check=False,
                             timeout=60)
        expect(run.returncode == 0 and "window" in run.stdout, f"{run.stdout}{run.stderr}")
    return f"{len(commands)} commands of docs/serve.md"


def check_all(options, folder):
    models = [guide_path(options.bin), embedding_model(options.bin, folder)]
    with Server(options.bin,
                folder,
                *models,
                arguments=["--allow-host", "Models.Example", "--allow-origin", "https://site.example"]) as server:
        # These take 30 seconds, in which the others go on.
        slowloris = serve_life.Slowloris(server)
        late = Background(serve_refusals.check_queue, options.bin, options.folder_of("queue"))
        serve_answers.check(server, [path.stem for path in models])
        serve_refusals.check(options.bin, folder, server)
        print(check_docs(server, models[1].stem))
        serve_refusals.check_key(options.bin, options.folder_of("key"))
        serve_refusals.check_library(options.bin, options.folder_of("library"))
        life = Background(serve_life.check, options.bin, options.folder_of("life"))
        missing = serve_life.check_system_calls(options.bin, options.folder_of("trace"))
        print(missing or "system calls: no socket that was not asked for")
        print(serve_malformed.check(server, options.malformed, options.seed)[0])
        serve_life.check_half(server)
        late.result()
        life.result()
        slowloris.check()
        server.stop()
    print(serve_memory.check(options.bin, options.folder_of("memory"), 8, 10, 10, 20))
    print(serve_load.check(options.bin, options.folder_of("load"), options.clients, options.seconds))
    if options.evenness:
        print(serve_load.check_evenness(options.bin, options.folder_of("evenness"), options.clients, options.evenness))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument(
        "--evenness",
        type=int,
        default=0,
        help="seconds for which it is seen how evenly tokens come, too; needs a computer that does nothing else")
    parser.add_argument("--malformed", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with new_folder() as folder:
        def folder_of(name):
            made = folder / name
            made.mkdir()
            return made
        options.folder_of = folder_of
        check_all(options, folder)


if __name__ == "__main__":
    main()
