#!/usr/bin/env python3
"""Answers that follow JSON Schemas, judged by Debian's python3-jsonschema: 500 schemas of the supported part
(docs/structured-answers.md), drawn at random, and for each what random logits over the guide's vocabulary make of it.
Every schema has to be taken, every answer has to be whole and valid, and names no member twice. The formats date,
time and date-time are checked here, by the standard library and RFC 3339's grammar: jsonschema knows the last two
only with packages that Debian 12 lacks.

usage: schemas_test.py WALK_SCHEMAS MODEL [SEED [COUNT]]
"""
import datetime
import json
import random
import re
import subprocess
import sys

import jsonschema

TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)", re.ASCII)
UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
NAMES = [
    "a", "b", "ab", "name", "größe", "ключ", "名", "with space", 'quo"te', "back\\slash", "tab\t", "😀", "", "items",
    "a/b", "1"
]
SCALARS = ["x", "yes", "", "naïve", 'q"', "\n", "😀", 0, 1, -7, 12345678901, 2.5, -0.125, True, False, None]
FORMATS = ["date", "time", "date-time", "uuid"]
TYPES = ["object", "array", "string", "integer", "number", "boolean", "null"]
checker = jsonschema.FormatChecker(formats=())


@checker.checks("date")
def is_date(text):
    if not isinstance(text, str):
        return True
    try:
        return re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) is not None and bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False


@checker.checks("time")
def is_time(text):
    return not isinstance(text, str) or TIME.fullmatch(text) is not None


@checker.checks("date-time")
def is_date_time(text):
    return not isinstance(text, str) or (text[10:11] == "T" and is_date(text[:10]) and is_time(text[11:]))


@checker.checks("uuid")
def is_uuid(text):
    return not isinstance(text, str) or UUID.fullmatch(text) is not None


class Schemas:
    def __init__(self, draw):
        self.draw = draw

    def document(self):
        self.folder = self.draw.choice(["$defs", "definitions"])
        self.defs = self.draw.sample(["one", "two", "t-3"], self.draw.randrange(3))
        schema = self.any(0, False)
        if not isinstance(schema, dict):
            schema = {}
        if self.defs:
            schema[self.folder] = {name: self.any(2, False) for name in self.defs}
        if self.chance(0.3):
            schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        return schema

    def chance(self, share):
        return self.draw.random() < share

    def any(self, depth, optional):
        """`optional`: a value that need not be written, behind a bracket: only there may schemas recur."""
        draw = self.draw
        kinds = ["type"] * 12 + ["types", "untyped", "enum", "enum", "const", "all"]
        if depth < 4:
            kinds += ["anyOf", "oneOf"]
        if optional:
            kinds += ["ref"] * 3
        kind = draw.choice(kinds)
        if kind == "ref":
            return {"$ref": draw.choice(["#"] + [f"#/{self.folder}/{name}" for name in self.defs])}
        if kind == "all":
            return draw.choice([True, {}, {"title": "any", "description": "all of it", "default": 3}])
        if kind == "const":
            return {"const": self.value(0)}
        if kind == "enum":
            values = [self.value(0) for _ in range(draw.randint(1, 5))]
            return draw.choice([{"enum": values}, {"enum": ["a", 1], "type": "string"},
                                {"enum": values, "title": "one"}])
        if kind == "anyOf":
            return {"anyOf": [self.any(depth + 1, optional) for _ in range(draw.randint(1, 3))]}
        if kind == "oneOf":
            types = draw.sample([one for one in TYPES if one != "integer"], draw.randint(1, 3))
            return {"oneOf": [{"type": one, **self.of(one, depth + 1, optional)} for one in types]}
        if kind == "types":
            types = draw.sample(TYPES, draw.randint(1, 3))
            schema = {"type": types}
            for one in types:
                schema.update(self.of(one, depth, optional))
            return schema
        one = draw.choice(TYPES[:2] * 3 + TYPES if depth < 4 else TYPES[2:])
        schema = self.of(one, depth, optional)
        if kind == "type":
            schema["type"] = one
        if self.chance(0.1):
            schema["description"] = "what it is"
        return schema

    def value(self, depth):
        if depth > 1 or self.chance(0.8):
            return self.draw.choice(SCALARS)
        if self.chance(0.5):
            return [self.value(depth + 1) for _ in range(self.draw.randrange(3))]
        return {name: self.value(depth + 1) for name in self.draw.sample(NAMES, self.draw.randrange(3))}

    def of(self, one, depth, optional):
        return getattr(self, one)(depth, optional)

    def object(self, depth, optional):
        schema = {}
        if self.chance(0.9):
            names = self.draw.sample(NAMES, self.draw.randrange(6))
            required = [name for name in names if self.chance(0.5)]
            schema["properties"] = {name: self.any(depth + 1, optional or name not in required) for name in names}
            if required or self.chance(0.3):
                schema["required"] = self.draw.sample(required, len(required))
        if self.chance(0.6):
            schema["additionalProperties"] = self.draw.choice([False, True, None])
            if schema["additionalProperties"] is None:
                schema["additionalProperties"] = self.any(depth + 1, True)
        return schema

    def array(self, depth, optional):
        draw, schema, num_prefix = self.draw, {}, 0
        least = draw.choice([0, 0, 0, 1, 2, 5])
        if self.chance(0.25):
            num_prefix = draw.randint(1, 3)
            schema["prefixItems"] = [self.any(depth + 1, optional) for _ in range(num_prefix)]
        if self.chance(0.7):
            schema["items"] = self.any(depth + 1, optional or least <= num_prefix)
            if num_prefix and self.chance(0.3):
                schema["items"], least = False, min(least, num_prefix)
        if least:
            schema["minItems"] = least
        if self.chance(0.5):
            schema["maxItems"] = max(least, num_prefix) + draw.choice([0, 1, 7])
        return schema

    def string(self, depth, optional):
        if self.chance(0.4):
            return {"format": self.draw.choice(FORMATS)}
        least, schema = self.draw.choice([0, 1, 3, 20]), {}
        if self.chance(0.5):
            schema["minLength"] = least
        if self.chance(0.5):
            schema["maxLength"] = least + self.draw.choice([0, 1, 5, 40])
        return schema

    def integer(self, depth, optional):
        draw, schema = self.draw, {}
        low = draw.choice([
            0, 1, -1, 7, -20, 99, 10**draw.randrange(15), -(10**draw.randrange(15)), -(2**63),
            draw.randint(-5000, 5000)
        ])
        if self.chance(0.5):
            schema["minimum"] = low
        if self.chance(0.5):
            schema["maximum"] = low + draw.choice([0, 1, 9, 90, 12345, 10 ** 12])
        return schema

    def number(self, depth, optional):
        return {}

    boolean = null = number


def without_twice(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a member is there twice")
    return dict(pairs)


def main():
    walk, model = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 500
    draw = random.Random(seed)
    schemas = [Schemas(draw).document() for _ in range(count)]
    for schema in schemas:
        jsonschema.Draft202012Validator.check_schema(schema)
    lines = "".join(json.dumps(schema) + "\n" for schema in schemas)
    done = subprocess.run([walk, model, str(seed)], input=lines, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert len(answers) == count, f"{len(answers)} answers to {count} schemas"
    wrong, strangers, num_bytes = [], 0, 0
    for i, (schema, answer) in enumerate(zip(schemas, answers)):
        try:
            if "error" in answer:
                raise ValueError(answer["error"])
            value = json.loads(answer["text"], object_pairs_hook=without_twice)
            jsonschema.Draft202012Validator(schema, format_checker=checker).validate(value)
            other = jsonschema.Draft202012Validator(schemas[i - 1], format_checker=checker)
            strangers += not other.is_valid(value)
            num_bytes += len(answer["text"])
        except (ValueError, jsonschema.ValidationError) as problem:
            wrong.append(f"{json.dumps(schema)}\n  {str(answer)[:400]}\n  {str(problem)[:400]}")
    for text in wrong[:5]:
        print(text)
    print(
        f"{count - len(wrong)} of {count} answers are valid, {num_bytes} bytes; {strangers} do not follow the "
        "schema before theirs"
    )
    # Answers that follow any schema would show nothing.
    return 1 if wrong or strangers < count / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
