#!/usr/bin/env python3
"""`./dev build` and `./dev run` build all that a package installs, so that they show what people get."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
options = argparse.Namespace()


def installed_programs() -> dict[str, bytes]:
    """Name and contents of every program that is installed, by all packages together."""
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run(["cmake", "--install", options.build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        files = [file for file in pathlib.Path(prefix).rglob("*") if file.is_file()]
        return {file.name: file.read_bytes() for file in files if file.read_bytes()[:4] == b"\x7fELF"}


def programs_of_the_product() -> set[str]:
    """What the target `product` builds: the programs among its direct inputs."""
    asked = subprocess.run(["ninja", "-C", options.build, "-t", "query", "installer/product"], check=True,
                           capture_output=True, text=True)
    return set(re.findall(r"^ +bin/(\S+)$", asked.stdout, re.MULTILINE))


class ProductTest(unittest.TestCase):

    def test_the_product_is_what_is_installed(self):
        self.assertEqual(programs_of_the_product(), set(installed_programs()))

    def test_every_program_is_found_beside_the_window(self):
        for name in installed_programs():
            self.assertTrue((options.build / "bin" / name).is_file(), name)

    def test_building_and_running_build_the_product(self):
        script = (REPOSITORY / "dev").read_text(encoding="utf-8")
        run = re.search(r"^cmd_run\(\) \{\n(.*?)^\}", script, re.MULTILINE | re.DOTALL).group(1)
        self.assertIn("build release product\n", run)
        self.assertRegex(script, r"(?m)^ +build\).* build release product ;;$")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
