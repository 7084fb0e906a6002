#!/usr/bin/env python3
"""Writes the manual pages from the command table."""
import argparse
import pathlib

import command_table

BEHIND = {
    "ingle": """.SH EXIT STATUS
0 when all is done, 1 when it failed (one line on standard error says why), 2 for wrong usage.
.SH ENVIRONMENT
.TP
.B INGLE_DATA_DIR
the data folder, as with \\-\\-data\\-dir
.TP
.B XDG_DATA_HOME, XDG_CACHE_HOME
where the data folder and what can be made again lie otherwise
.SH FILES
.TP
.I ~/.local/share/inglenook/library.json
the models that were used, in place
.TP
.I ~/.cache/inglenook
what graphics drivers were found to be worth
.SH NETWORK
None: the kernel is asked to refuse every internet socket before anything else is done.
.SH SEE ALSO
.BR inglenook (1),
.BR ingle\\-serve (1)
""",
    "ingle-serve": """.SH EXIT STATUS
0 when it was told to end, 1 when it could not serve (one line on standard error says why), 2 for wrong usage.
.SH SIGNALS
SIGINT and SIGTERM: no further request is taken, and answers under way come to their end within 30 seconds;
a second signal ends at once.
.SH FILES
.TP
.I $XDG_RUNTIME_DIR/inglenook/serve.sock
the socket, which only its owner may open
.SH NETWORK
It listens on the addresses that it is told, and opens no connection.
The engine is a process of its own, which is refused every internet socket.
.SH SEE ALSO
.BR ingle (1)
""",
    "ingle-bridge": """.SH SETTINGS
Where the command line names no server, the settings are read from a file: the options above by name, one on a line,
with # before a comment. A relative path of the key begins where the file is.
.PP
.EX
url = https://host.example/v1
key\\-file = bridge.key
model = name\\-of\\-a\\-model
.EE
.PP
.B systemctl \\-\\-user start ingle\\-bridge
starts it in the background, and
.B stop
ends it; so does the entry in the menu of programs. Nothing starts it by itself, unless
.B enable
says so.
.B journalctl \\-\\-user \\-u ingle\\-bridge
shows why one has not started.
.SH EXIT STATUS
0 when a signal ended it, 1 when it could not serve (one line on standard error says why), 2 for wrong usage.
.SH ENVIRONMENT
.TP
.B https_proxy, http_proxy, no_proxy
the proxy through which the server is reached, as curl knows them; never one for this computer's own addresses
.TP
.B SSL_CERT_FILE
a file with authorities that are trusted beside the system's
.SH FILES
.TP
.I ~/.config/inglenook/bridge.conf
the settings; of XDG_CONFIG_HOME where that is set
.TP
.I $XDG_RUNTIME_DIR/inglenook/bridge.sock
the socket, which only its owner may open
.SH NETWORK
It opens connections to the server that it is told, and to no other. What is asked through it leaves this computer.
.SH SEE ALSO
.BR ingle\\-serve (1)
""",
    "inglenook": """.SH FILES
.TP
.I ~/.local/share/inglenook/history.sqlite
all conversations
.TP
.I ~/.local/share/inglenook/snapshots
what lets conversations reopen at once; safe to delete
.SH ENVIRONMENT
.TP
.B INGLE_DATA_DIR
the data folder, as with \\-\\-data\\-dir
.TP
.B INGLE_RENDERER
"gpu" draws the window with the graphics card
.SH NETWORK
None: the kernel is asked to refuse every internet socket before anything else is done.
.SH SEE ALSO
.BR ingle (1)
""",
}


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def row(option):
    names = option.names or [option.positional]
    head = ", ".join(f"\\fB{escaped(name)}\\fR" for name in names)
    if option.value and option.names:
        head += f" \\fI{escaped(option.value)}\\fR"
    return f".TP\n{head}\n{escaped(option.description)}\n"


def synopsis(program, command=None):
    shown = command or program
    words = [f".B {program.name}" + (f" {command.name}" if command else "")]
    if shown.switches:
        words.append("[\\fIOPTION\\fR]...")
    if shown.commands:
        words.append("\\fICOMMAND\\fR ...")
    for argument in shown.arguments:
        name = f"\\fI{argument.positional}\\fR" + ("..." if argument.many else "")
        words.append(name if argument.required else f"[{name}]")
    return words[0] + "\n" + "\n".join(words[1:]) + "\n"


def page(program, version, date):
    summary = program.description.rstrip(".").split(": ")[-1]
    text = f'.TH {program.name.upper()} 1 "{date}" "Inglenook {version}" "User Commands"\n'
    text += f".SH NAME\n{program.name} \\- {escaped(summary)}\n.SH SYNOPSIS\n{synopsis(program)}"
    text += f".SH DESCRIPTION\n{escaped(program.description)}\n.SH OPTIONS\n"
    text += "".join(row(option) for option in program.arguments + program.switches)
    if program.commands:
        text += ".SH COMMANDS\n"
        text += "MODEL is a model file, or the name of a model that was used in the window.\n"
    for command in program.commands:
        text += f".SS {command.name}\n{synopsis(program, command)}.PP\n{escaped(command.description)}\n"
        text += "".join(row(option) for option in command.arguments + command.switches)
    return text + BEHIND[program.name]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--date", default="")
    options = parser.parse_args()
    for program in command_table.read(options.table):
        (options.out / f"{program.name}.1").write_text(page(program, options.version, options.date), encoding="utf-8")


if __name__ == "__main__":
    main()
