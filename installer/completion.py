#!/usr/bin/env python3
"""Writes the completion of bash, zsh and fish for both programs from the command table."""
import argparse
import pathlib

import command_table


def quoted(text):
    """For a shell, in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


def bash(program):
    name = program.name
    lines = [f"# bash completion for {name}, made from its command table", f"_{name}() {{",
             "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= word words=",
             "    COMPREPLY=()"]
    if program.commands:
        names = "|".join(command.name for command in program.commands)
        lines += ['    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
                  f"        case $word in {names}) command=$word; break ;; esac", "    done"]
    lines.append('    case "$command $previous" in')
    for command in [program, *program.commands]:
        own = "" if command is program else command.name
        for option in command.switches:
            if option.value is None:
                continue
            patterns = "|".join(quoted(f"{own} {switch}") for switch in option.names)
            found = f"COMPREPLY=($(compgen -W {quoted(' '.join(option.choices))} -- \"$current\"))"
            lines.append(f"        {patterns}) {found if option.choices else 'compopt -o default'}; return ;;")
    lines += ["    esac", "    case $command in"]
    for command in [*program.commands, program]:
        words = " ".join(switch for option in command.switches for switch in option.names)
        pattern = quoted(command.name) if command is not program else "''"
        lines.append(f"        {pattern}) words={quoted(words)} ;;")
    lines.append("    esac")
    if program.commands:
        commands = " ".join(command.name for command in program.commands)
        lines += ['    if [[ -z $command && $current != -* ]]; then',
                  f'        COMPREPLY=($(compgen -W {quoted(commands)} -- "$current"))', "        return", "    fi"]
    lines += [
        "    if [[ $current == -* ]]; then", '        COMPREPLY=($(compgen -W "$words" -- "$current"))', "    else",
        "        compopt -o default", "    fi", "}", f"complete -F _{name} {name}", ""
    ]
    return "\n".join(lines)


def zsh_spec(option):
    text = option.description.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    value = ""
    if option.value is not None:
        kind = f"({' '.join(option.choices)})" if option.choices else "_files" if option.takes_path else " "
        value = f":{option.value.split('|')[0].lower()}:{kind}"
    if option.positional:
        return [quoted(f"{'*' if option.many else ''}:{option.positional}:_files")]
    return [quoted(f"{'*' if option.many else ''}{name}[{text}]{value}") for name in option.names]


def zsh(program):
    name = program.name
    lines = [f"#compdef {name}", f"# zsh completion for {name}, made from its command table", "local state line"]

    def arguments(command, more=()):
        specs = [spec for option in command.switches + command.arguments for spec in zsh_spec(option)]
        return "_arguments -s " + " \\\n    ".join([*specs, *more])

    if not program.commands:
        return "\n".join([*lines, arguments(program), ""])
    lines += [arguments(program, [quoted("1:command:->command"), quoted("*::argument:->argument")]), "case $state in",
              "command)", "    local -a commands=("]
    lines += [
        "        " + quoted(command.name + ":" + command.description.replace(":", "\\:"))
        for command in program.commands
    ]
    lines += ["    )", "    _describe command commands ;;", "argument)", "    case $line[1] in"]
    lines += [f"    {command.name}) {arguments(command)} ;;" for command in program.commands]
    return "\n".join([*lines, "    esac ;;", "esac", ""])


def fish_row(program, command, option):
    words = [f"complete -c {program}"]
    if command:
        words.append(f"-n {quoted('__fish_seen_subcommand_from ' + command)}")
    for name in option.names:
        words.append(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}")
    if option.value is not None:
        words.append(f"-x -a {quoted(' '.join(option.choices))}" if option.choices else "-r")
    return " ".join([*words, f"-d {quoted(option.description)}"])


def fish(program):
    name = program.name
    lines = [f"# fish completion for {name}, made from its command table"]
    lines += [fish_row(name, None, option) for option in program.switches]
    for command in program.commands:
        lines.append(
            f"complete -c {name} -n __fish_use_subcommand -f -a {command.name} -d {quoted(command.description)}")
        lines += [fish_row(name, command.name, option) for option in command.switches]
    return "\n".join([*lines, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    for program in command_table.read(options.table):
        for name, text in ((f"{program.name}.bash", bash(program)), (f"_{program.name}", zsh(program)),
                           (f"{program.name}.fish", fish(program))):
            (options.out / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
