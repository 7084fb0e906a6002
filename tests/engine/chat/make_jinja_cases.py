#!/usr/bin/env python3
"""Renders the templates of jinja_cases.json again with Jinja2, set up as Hugging Face's transformers does, and writes
what it gave beside each. To add a case, add its template with any second element and run this."""
import datetime
import json
import pathlib

import jinja2
import jinja2.ext
import jinja2.nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

PATH = pathlib.Path(__file__).with_name("jinja_cases.json")


class GenerationTag(jinja2.ext.Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_render"), [], [], body).set_lineno(line)

    def _render(self, caller):
        return caller()


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def main():
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, jinja2.ext.loopcontrols])
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = lambda text: datetime.datetime(2025, 7, 26, 12, 34, 56).strftime(text)
    data = json.loads(PATH.read_text(encoding="utf-8"))
    data["made_with"] = f"Jinja2 {jinja2.__version__}"
    for case in data["cases"]:
        try:
            case[1] = environment.from_string(case[0]).render(**data["variables"])
        except Exception as error:  # whatever the template raises is its result
            case[1] = f"error: {error}"
    PATH.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
