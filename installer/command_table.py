"""The command line as `ingle-command-table` prints it, for the manual pages and the completion."""
import dataclasses
import json
import re


@dataclasses.dataclass
class Option:
    names: list  # "-p", "--prompt"; empty for a positional argument
    positional: str | None  # its name
    description: str
    value: str | None  # what it takes, e.g. "TEXT"; None: a switch
    choices: list  # all that it takes; empty: anything of the kind
    required: bool
    many: bool

    @property
    def takes_path(self):
        return not self.choices and self.value in ("TEXT", "FOLDER", "FILE")


@dataclasses.dataclass
class Command:
    name: str
    description: str
    options: list
    commands: list

    @property
    def switches(self):
        return [option for option in self.options if option.names]

    @property
    def arguments(self):
        return [option for option in self.options if option.positional]


def _option(row):
    # CLI11's words for a type: "TEXT", "UINT:INT in [1 - 256]", "ENUM:value in {auto->0,cpu->1} OR {0,1}".
    kind = row["value"]
    choices = re.findall(r"(\w+)->", kind.split(" OR ")[0]) if kind else []
    plain = {"INT": "N", "UINT": "N", "FLOAT": "NUMBER"}
    value = None if kind is None else "|".join(choices) or plain.get(kind.split(":")[0], kind.split(":")[0])
    return Option(row["names"], row["positional"], row["description"], value, choices, row["required"], row["many"])


def _command(row):
    return Command(row["name"], row["description"], [_option(option) for option in row["options"]],
                   [_command(command) for command in row["commands"]])


def read(path):
    """The programs in the table."""
    with open(path, encoding="utf-8") as file:
        return [_command(row) for row in json.load(file)]
