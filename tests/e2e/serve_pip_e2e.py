#!/usr/bin/env python3
"""ingle-serve, asked by clients from pip that nobody here wrote (serve_pip/rounds.py), with models that call a tool in
several forms. `./dev` installs them into build/serve_pip."""
import argparse
import os
import pathlib
import subprocess
import sys

import script_model
from driver import expect
from serve_driver import Server, new_folder

KEY = "the-key-of-this-very-test"
ROUNDS = pathlib.Path(__file__).parent / "serve_pip/rounds.py"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    options = parser.parse_args()
    python = options.packages / "bin/python"
    if not (options.packages / "installed.txt").is_file():
        print(f"skipped: there is no {options.packages}")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    with new_folder() as folder:
        models = []
        for dialect in script_model.DIALECTS:
            models.append(folder / f"{dialect}.gguf")
            script_model.write_model(models[-1], dialect)
        with Server(options.bin, folder, *models, key=KEY) as server:
            for model in models:
                run = subprocess.run([python, ROUNDS, server.url, model.stem, KEY],
                                     capture_output=True,
                                     text=True,
                                     timeout=100,
                                     check=False)
                expect(run.returncode == 0, run.stderr[-3000:])
                print(run.stdout.strip())
            server.stop()


if __name__ == "__main__":
    main()
