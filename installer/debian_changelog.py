#!/usr/bin/env python3
"""Writes the Debian changelog of a package (compressed, the same bytes every time) from CHANGELOG.md."""
import argparse
import email.utils
import gzip
import datetime
import pathlib
import textwrap

import changes


def entry(package, release, maintainer):
    points = [release.summary, *release.points] if release.summary else release.points
    body = "\n".join(textwrap.fill(changes.plain(point), 78, initial_indent="  * ", subsequent_indent="    ")
                     for point in points)
    noon = datetime.datetime.combine(release.date, datetime.time(12), datetime.timezone.utc)
    return (f"{package} ({release.version}) unstable; urgency=medium\n\n{body}\n\n"
            f" -- {maintainer}  {email.utils.format_datetime(noon)}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package")
    parser.add_argument("version", help="what is packaged; without an entry of its own it comes first")
    parser.add_argument("maintainer")
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    releases = changes.read()
    if options.version not in [release.version for release in releases]:
        releases.insert(0, changes.Release(options.version, releases[0].date, "Not released.", []))
    text = "\n".join(entry(options.package, release, options.maintainer) for release in releases)
    options.out.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
