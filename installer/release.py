#!/usr/bin/env python3
"""Sets the version, commits and tags it. Refuses what would make a release that cannot be made again."""
import argparse
import datetime
import re
import subprocess
import sys

import changes

CMAKE = changes.PATH.parent / "CMakeLists.txt"
PROJECT = re.compile(r"^(project\(Inglenook VERSION )(\d+\.\d+\.\d+)\b", re.MULTILINE)


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=CMAKE.parent, check=True, capture_output=True,
                          text=True).stdout.strip()


def problem(version, today):
    """Why this version cannot be released now, or None."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        return f"\"{version}\" is no version: it is three numbers with dots between them"
    if git("status", "--porcelain"):
        return "there are changes that are not committed"
    if git("tag", "--list", f"v{version}"):
        return f"the tag v{version} is there already"
    entries = [release for release in changes.read() if release.version == version]
    if not entries:
        return f"CHANGELOG.md has no entry \"## {version} ({today})\""
    if entries[0].date != today:
        return f"CHANGELOG.md dates {version} {entries[0].date}, and today is {today}"
    if changes.read()[0].version != version:
        return f"CHANGELOG.md knows a newer version than {version}: {changes.read()[0].version}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version")
    options = parser.parse_args()
    refusal = problem(options.version, datetime.date.today())
    if refusal:
        sys.exit(f"release: {refusal}")
    text = CMAKE.read_text(encoding="utf-8")
    CMAKE.write_text(PROJECT.sub(rf"\g<1>{options.version}", text), encoding="utf-8")
    if git("status", "--porcelain"):
        git("commit", "-am", f"Inglenook {options.version}")
    git("tag", "-a", f"v{options.version}", "-m", f"Inglenook {options.version}")
    print(f"v{options.version} is tagged; `git push --follow-tags` publishes it")


if __name__ == "__main__":
    main()
