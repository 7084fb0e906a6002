#!/usr/bin/env python3
"""Writes the AppStream metainfo: the template with the homepage, and the releases of CHANGELOG.md."""
import argparse
import pathlib
from xml.sax.saxutils import escape

import changes


def release_xml(release):
    lines = [f'    <release version="{release.version}" date="{release.date}">', "      <description>"]
    if release.summary:
        lines.append(f"        <p>{escape(changes.plain(release.summary))}</p>")
    if release.points:
        lines.append("        <ul>")
        lines += [f"          <li>{escape(changes.plain(point))}</li>" for point in release.points]
        lines.append("        </ul>")
    return "\n".join([*lines, "      </description>", "    </release>"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("template", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--homepage", required=True)
    options = parser.parse_args()
    text = options.template.read_text(encoding="utf-8").replace("@HOMEPAGE@", options.homepage)
    text = text.replace("@RELEASES@", "\n".join(release_xml(release) for release in changes.read()))
    options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
