#!/usr/bin/env python3
"""Answers that follow JSON Schemas, judged by Debian's python3-jsonschema: 500 schemas, drawn at random, and for each
what random logits over the guide's vocabulary make of it. Half of them are of the part that rules keep
(docs/structured-answers.md): all of these have to be taken, and every answer has to be valid. Hardly one may be without
an end (of a schema that recurs, random logits may make one) or name a member twice. The others have all keywords, also
where no value follows them: an answer is valid, or its violation is told. Then four texts for each schema, most of them
damaged answers: none is accepted that jsonschema refuses. Formats are checked here: jsonschema knows most only with
packages that Debian 12 lacks.

usage: schemas_test.py WALK_SCHEMAS MODEL [SEED [COUNT]]
"""
import datetime
import ipaddress
import json
import random
import re
import subprocess
import sys

import jsonschema

TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)", re.ASCII)
LONG_LIMIT = re.compile(r'"(exclusive)?m(in|ax)imum": -?\d{16}', re.I)
UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
NAMES = [
    "a", "b", "ab", "name", "größe", "ключ", "名", "with space", 'quo"te', "back\\slash", "tab\t", "😀", "", "items",
    "a/b", "1"
]
SCALARS = ["x", "yes", "", "naïve", 'q"', "\n", "😀", 0, 1, -7, 12345678901, 2.5, -0.125, True, False, None]
FORMATS = ["date", "time", "date-time", "uuid", "email", "ipv4", "ipv6", "hostname", "uri", "duration"]
PATTERNS = [
    "^[a-z]{2,5}$", "^\\d{3}-\\d{4}$", "^(yes|no)$", "[0-9]+", "^#?[0-9a-fA-F]{6}$", "^[^\"\\\\]*$",
    "^\\w+@\\w+\\.com$",
    "^$|^x", "a.c", "^[A-Z][a-z]*( [A-Z][a-z]*)*$", "(?=.*x)y", "^(a|bc){2,3}$", "^\\S{3}$", "\\$[0-9]+(\\.[0-9]{2})?$"
]
LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
OF_FORMAT = {
    "email": re.compile(rf"[\w.+-]+@(?:{LABEL}\.)+[A-Za-z]+", re.ASCII),
    "hostname": re.compile(rf"(?=.{{1,253}}$){LABEL}(?:\.{LABEL})*"),
    "uri": re.compile(rf"[a-z][a-z0-9]*://{LABEL}(?:\.{LABEL})*(?::\d+)?(?:/[^\s?#]*)?(?:\?[^\s#]*)?(?:#\S*)?"),
    "duration": re.compile(r"P(?=.)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?)"),
}
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


def is_address(kind):
    def check(text):
        try:
            return not isinstance(text, str) or bool(kind(text))
        except ValueError:
            return False
    return check


checker.checks("ipv4")(is_address(ipaddress.IPv4Address))
checker.checks("ipv6")(is_address(ipaddress.IPv6Address))
for name, form in OF_FORMAT.items():
    checker.checks(name)(lambda text, form=form: not isinstance(text, str) or form.fullmatch(text) is not None)


class Schemas:
    def __init__(self, draw):
        self.draw = draw
        self.is_wide = False

    def document(self, is_wide):
        self.is_wide = is_wide
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
        if self.is_wide and depth < 3:
            kinds += ["allOf", "beside", "some", "not", "if"] * 2
        kind = draw.choice(kinds)
        if kind == "allOf":
            return {"allOf": [self.any(depth + 1, optional) for _ in range(draw.randint(1, 2))]}
        if kind == "beside":
            one = draw.choice(TYPES)
            part = self.of(one, depth + 1, optional)
            return {"type": one, **self.of(one, depth + 1, optional), draw.choice(["anyOf", "allOf", "oneOf"]): [part]}
        if kind == "some":
            return {"oneOf": [self.any(depth + 1, optional) for _ in range(2)]}
        if kind == "not":
            return {"type": "integer", "minimum": -5, "maximum": 30, "not": self.any(3, False)}
        if kind == "if":
            return {"type": ["string", "integer"], "if": {"type": "string"}, "then": self.string(depth, optional),
                    "else": self.integer(depth, optional)}
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
            if "integer" in types and "number" in types:
                types.remove("number")  # their bounds might exclude each other
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
        if self.is_wide and self.chance(0.3):
            schema.update(self.draw.choice([
                {"minProperties": 1}, {"maxProperties": 2}, {"propertyNames": {"maxLength": 4}},
                {"patternProperties": {"^a": {"type": "string"}}}, {"required": ["other"]},
                {"dependentRequired": {"a": ["b"]}}]))
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
        if self.is_wide and self.chance(0.3):
            schema.update(draw.choice([{"uniqueItems": True}, {"contains": {"type": "string"}}]))
        return schema

    def string(self, depth, optional):
        if self.chance(0.4):
            return {"format": self.draw.choice(FORMATS)}
        if self.chance(0.3):
            pattern = {"pattern": self.draw.choice(PATTERNS if self.is_wide else PATTERNS[:10])}
            return {**pattern, "maxLength": 9} if self.is_wide and self.chance(0.5) else pattern
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
        if not schema and self.chance(0.3):
            schema["exclusiveMinimum"] = draw.choice([0, -1, 2.5, 99])
        if self.is_wide and self.chance(0.2):
            schema["multipleOf"] = draw.choice([1, 2, 5, 100])
        return schema

    def number(self, depth, optional):
        draw, schema = self.draw, {}
        low = draw.choice([0, 1, -1, 0.5, -0.25, 99.99, -1000, 12345.678, round(draw.uniform(-50, 50), 3)])
        if self.chance(0.5):
            schema[draw.choice(["minimum", "exclusiveMinimum"])] = low
        if self.chance(0.5):
            schema[draw.choice(["maximum", "exclusiveMaximum"])] = round(
                low + draw.choice([0.5, 1, 0.001, 17.25, 1000]), 4)
        return schema

    def boolean(self, depth, optional):
        return {}

    null = boolean


def names_twice(text):
    """Whether an object in it has two members of one name."""
    found = []
    json.loads(text, object_pairs_hook=lambda pairs: found.append(len(dict(pairs)) < len(pairs)))
    return any(found)


def damaged(draw, text):
    """Most of what comes out is JSON still: a character or a part of it is another one."""
    kind = draw.randrange(4)
    at = draw.randrange(len(text) + 1)
    if kind == 0:
        return text[:at] + draw.choice('0159-."x,') + text[at:]
    if kind == 1:
        return text[:at] + text[at + 1:]
    if kind == 2:
        return re.sub(r"\d", lambda digit: str(draw.randrange(10)), text)
    words = re.findall(r'"[^"\\]*"|-?\d+', text) or ["1"]
    return text.replace(draw.choice(words), draw.choice(words + ['"a"', "0", "null", "[]"]), 1)


def asked(walk, model, seed, lines):
    done = subprocess.run([walk, model, str(seed)], input="".join(json.dumps(line) + "\n" for line in lines),
                          capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert len(answers) == len(lines), f"{len(answers)} answers to {len(lines)} schemas"
    return answers


def is_valid(schema, text):
    try:
        value = json.loads(text)
        return jsonschema.Draft202012Validator(schema, format_checker=checker).is_valid(value)
    except ValueError:
        return False


def main():
    walk, model = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 500
    draw = random.Random(seed)
    schemas = [Schemas(draw).document(number % 2 == 1) for number in range(count)]
    for schema in schemas:
        jsonschema.Draft202012Validator.check_schema(schema)
    answers = asked(walk, model, seed, schemas)
    wrong, strangers, num_bytes, refused, told, odd = [], 0, 0, 0, 0, 0
    for i, (schema, answer) in enumerate(zip(schemas, answers)):
        # Limits of more digits than numbers may have are only checked at the end.
        is_wide = i % 2 == 1 or LONG_LIMIT.search(json.dumps(schema)) is not None
        if is_wide and ("error" in answer or "violation" in answer):
            refused += "error" in answer
            told += "violation" in answer
            continue
        if answer.get("error", "").startswith("no end after"):
            odd += 1
            continue
        try:
            if "error" in answer or "violation" in answer:
                raise ValueError(answer)
            value = json.loads(answer["text"])
            odd += names_twice(answer["text"])
            jsonschema.Draft202012Validator(schema, format_checker=checker).validate(value)
            other = jsonschema.Draft202012Validator(schemas[i - 1], format_checker=checker)
            strangers += not other.is_valid(value)
            num_bytes += len(answer["text"])
        except (ValueError, jsonschema.ValidationError) as problem:
            wrong.append(f"{json.dumps(schema)}\n  {str(answer)[:400]}\n  {str(problem)[:400]}")
    texts = [answer["text"] for answer in answers if answer.get("text")]
    checks = [{"schema": schema, "texts": [draw.choice(texts), *(damaged(draw, answer.get("text") or draw.choice(texts))
                                                                 for _ in range(3))]}
              for schema, answer in zip(schemas, answers)]
    num_accepted = 0
    for check, found in zip(checks, asked(walk, model, seed, checks)):
        for text, accepted in zip(check["texts"], found.get("accepted", [])):
            num_accepted += accepted
            if accepted and not is_valid(check["schema"], text):
                wrong.append(f"{json.dumps(check['schema'])}\n  accepts {text[:400]}")
    for text in wrong[:5]:
        print(text)
    print(
        f"{count} schemas: {refused} refused, {told} answers with a violation that was told, {len(wrong)} wrong, "
        f"{odd} odd, "
        f"{num_bytes} bytes; {strangers} do not follow the schema before theirs; {num_accepted} of {4 * count} texts "
        "accepted"
    )
    # Answers that follow any schema would show nothing, and nor would texts that none does.
    is_telling = strangers >= count / 3 and refused + told < count / 4 and num_accepted > count / 4
    return 1 if wrong or not is_telling or odd > count / 100 else 0


if __name__ == "__main__":
    sys.exit(main())
