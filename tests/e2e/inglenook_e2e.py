#!/usr/bin/env python3
"""The first conversation, end to end: the real window under Xvfb, the real host, a small byte-level model.

  guide         a newcomer's first minute with the model that ships
  newcomer      no model, a computer of 8 GB, an empty download folder: what suits it, what arrives, a chat; by
  keyboard alone conversation  drop the file, ask, see the answer stream; kill the host and then the window while it
  does; continue;
                nothing that was painted is lost, and the answer equals one that was never interrupted
  folders       a folder as its makers published it is dropped and answered by; it is made smaller, which can be
  stopped,
                killed and run out of disk, and leaves nothing then
  offline       no program can open an internet socket, and none tries to over a whole conversation; nor does the thread
                that paints use files
  refusals      files that cannot be used end in one sentence
"""
import argparse
import json
import math
import os
import pathlib
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

from driver import (Failure, Window, check_against_uninterrupted, check_history, display, expect, expect_failure,
                    is_running, new_home, wait_until)

PACE_MS = 30
GUIDE = "Inglenook guide"
PROMPT = "The morning was cold and the harbour"
SKIPPED = 77

repository = pathlib.Path(__file__).resolve().parents[2]


def golden_folder():
    return pathlib.Path(os.environ.get("INGLE_GOLDEN") or repository.parent / "shared/golden")


def model_file(bin_folder):
    """The trained model of the golden set; in a plain clone a synthetic one of the same kind, whose text is noise."""
    trained = golden_folder() / "rwkv/tiny-rwkv-5v2-730K-Q5_0.bin"
    if trained.exists():
        return trained
    synthetic = pathlib.Path(bin_folder).parent / "e2e-model.gguf"
    subprocess.run([
        f"{bin_folder}/ingle", "synth", "--family", "rwkv5", "--dim", "64", "--ffn", "224", "--layers", "12", "--heads",
        "1", "--kv-heads", "1", "--vocab", "256", "--quant", "Q8_0", "-o",
        str(synthetic)
    ],
                   check=True)
    return synthetic


def answer_of(state):
    """The last message of a state, when it is an answer."""
    messages = state["messages"]
    return messages[-1] if messages and messages[-1]["role"] == "assistant" else {"text": "", "status": "", "id": 0}


def wait_for_text(window, more_than=0):
    """Waits until the answer is longer than that while it streams; returns the state."""
    return window.wait_for(
        lambda s: s["generationState"] == "Streaming" and len(answer_of(s)["text"]) > more_than,
        f"an answer of more than {more_than} characters")


def load_model(window, model):
    window.drop(model)
    window.wait_for(lambda s: s["modelState"] == "Ready", "the model")


def stop_answer(window):
    window.click("stopButton")
    return window.wait_for(lambda s: s["generationState"] == "Idle", "the end of the answer")


def kill_host(window):
    """kill -9 of the host while it answers; waits until the answer goes on in another one, or has ended."""
    before = window.state()
    os.kill(before["hostPid"], 9)
    replaced = window.wait_for(lambda s: s["hostPid"] not in (0, before["hostPid"]), "another host")
    # More than the old host can still have had in the pipe: a host that dies before its first token counts as broken,
    # and the second one in a row is replaced by one with reference kernels, which round differently.
    after = window.wait_for(
        lambda s: s["generationState"] == "Idle" or len(answer_of(s)["text"]) > len(answer_of(replaced)["text"]) + 20,
        "the answer to go on in a new host")
    expect(answer_of(after)["id"] == answer_of(before)["id"], "the answer goes on in another message")
    expect(answer_of(after)["text"].startswith(answer_of(before)["text"]), "text changed when the host was replaced")


def kill_window(window):
    """kill -9 of the window; its host must not outlive it."""
    host = window.state()["hostPid"]
    window.kill()
    wait_until(lambda: not is_running(host), "the host to end with its window")


def check_deletion(options, home, screen):
    """What the engine kept of a conversation goes with it, also when the window was killed before that could happen."""
    def kept():
        return list(home.snapshots.glob("*.snap")) + list((home.snapshots / "conversations").iterdir())

    expect(kept(), "nothing was kept for reopening the conversation")
    database = sqlite3.connect(home.history)
    with database:
        database.execute("UPDATE conversations SET trashed_ms = 1")
    database.close()
    with Window(options.bin, home, screen, PACE_MS) as window:
        window.wait_for(lambda s: s["modelState"] == "Ready", "the model after the deletion")
        wait_until(lambda: not kept(), "what the engine kept of the deleted conversation to go")
        window.quit()


def guide(options):
    """A newcomer's first minute: the window opens with the guide, a suggested question is clicked and answered
    rightly."""
    shipped = {"INGLE_GUIDE": str(pathlib.Path(options.bin).parent / "share/inglenook/guide.gguf")}
    with display() as screen, new_home() as home:
        with Window(options.bin, home, screen, extra_environment=shipped) as window:
            window.wait_for(lambda s: s["modelState"] == "Ready", "the guide")
            if options.shots:
                window.command("screenshot", path=str(pathlib.Path(options.shots) / "guide-empty.png"))
            window.click("suggestion-0")
            state = window.wait_for(lambda s: s["messages"] and answer_of(s)["status"] == "Complete",
                                    "the guide's answer")
            answer = answer_of(state)["text"]
            expect(
                re.search("drop|drag", answer, re.IGNORECASE) and "window" in answer,
                f"no way to open a model: {answer!r}")
            if options.shots:
                window.command("screenshot", path=str(pathlib.Path(options.shots) / "guide.png"))
            window.drop(options.model)
            window.wait_for(lambda s: s["modelState"] == "Ready" and s["modelName"] != GUIDE, "another model")
            window.quit()
        with Window(options.bin, home, screen, extra_environment=shipped) as window:
            state = window.wait_for(lambda s: s["modelState"] == "Ready", "the model used last")
            expect(state["modelName"] != GUIDE, "the guide pushed itself forward")
            window.quit()


def made_up_computer(root, installed_gb, limit_gb):
    """/proc and /sys of a computer whose control group has a limit; returns the folder."""
    kib = 10**9 // 1024
    (root / "proc/self").mkdir(parents=True)
    (root /
     "proc/meminfo").write_text(f"MemTotal: {installed_gb * kib} kB\nMemAvailable: {installed_gb * kib * 7 // 10} kB\n")
    (root / "proc/self/cgroup").write_text("0::/person\n")
    (root / "proc/self/mountinfo").write_text("25 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
    group = root / "sys/fs/cgroup/person"
    group.mkdir(parents=True)
    (group / "memory.max").write_text(f"{limit_gb * 10**9}\n")
    (group / "memory.high").write_text("max\n")
    (group / "memory.current").write_text(f"{3 * 10**9}\n")
    (group / "memory.stat").write_text("inactive_file 0\n")
    return root


def focus_by_tab(window, name):
    """Tab until `name` has the focus."""
    for _ in range(60):
        if window.state()["focus"] == name:
            return
        window.command("key", key="Tab")
    raise Failure(f"the keyboard does not reach {name}")


def newcomer(options):
    with display() as screen, new_home() as home:
        downloads = home.root / "Downloads"
        downloads.mkdir()
        (home.root / "config/user-dirs.dirs").write_text('XDG_DOWNLOAD_DIR="$HOME/Downloads"\n')
        catalog = pathlib.Path(options.bin).parent / "share/inglenook/models.json"
        person = {"INGLE_SYSTEM_ROOT": str(made_up_computer(home.root / "system", 16, 8)), "INGLE_MODELS": str(catalog)}
        with Window(options.bin, home, screen, PACE_MS, extra_environment=person) as window:
            state = window.wait_for(lambda s: s["computer"] and s["offers"], "what suits this computer")
            expect("8.0 GB of memory, 5.0 GB free" in state["computer"], f"another computer: {state['computer']}")
            expect(state["offers"] == len(json.loads(catalog.read_text())["models"]),
                   "the list of models is not all there")
            if options.shots:
                window.command("screenshot", path=str(pathlib.Path(options.shots) / "newcomer.png"))
            # A browser writes beside the name, then under it; half a file is no model yet.
            whole = pathlib.Path(options.model).read_bytes() if str(
                options.model).endswith(".gguf") else synthetic_gguf(options, home)
            arriving = downloads / "arriving.gguf"
            (downloads / "arriving.gguf.part").write_bytes(whole[:1000])
            arriving.write_bytes(whole[: len(whole) // 2])
            time.sleep(3)
            expect(not window.state()["bannerAction"], "half a download was offered")
            (downloads / "arriving.gguf.part").unlink()
            arriving.write_bytes(whole)
            window.wait_for(lambda s: s["bannerAction"] == "Open", "the offer of what has arrived")
            if options.shots:
                window.command("screenshot", path=str(pathlib.Path(options.shots) / "arrived.png"))
            focus_by_tab(window, "bannerAction")
            window.command("key", key="Space")
            window.wait_for(lambda s: s["modelState"] == "Ready", "the model that arrived")
            focus_by_tab(window, "composerInput")
            window.send_message(PROMPT)
            wait_for_text(window)
            window.command("key", key="Escape")
            window.wait_for(lambda s: s["generationState"] == "Idle", "the end of the answer")
            window.quit()


def synthetic_gguf(options, home):
    """A model as it could be downloaded."""
    path = home.root / "synthetic.gguf"
    subprocess.run([
        f"{options.bin}/ingle", "synth", "--family", "llama", "--dim", "64", "--ffn", "128", "--layers", "2", "--heads",
        "2", "--kv-heads", "2", "--vocab", "300", "--quant", "Q8_0", "-o",
        str(path)
    ],
                   check=True)
    return path.read_bytes()


def conversation(options):
    model = options.model
    with display() as screen, new_home() as home:
        with Window(options.bin, home, screen, PACE_MS) as window:
            expect(window.state()["modelState"] == "NoModel", "a first start has no model")
            load_model(window, model)
            window.send_message(PROMPT)
            state = wait_for_text(window, 20)
            expect(state["messages"][0]["text"] == PROMPT, "the question is shown")
            if options.shots:
                window.command("screenshot", path=str(pathlib.Path(options.shots) / "streaming.png"))
            kill_host(window)
            seen = answer_of(window.state())["text"]
            kill_window(window)
        history, painted = check_history(home)
        expect(painted > 20, f"only {painted} bytes were painted")
        stored = history.last_answer()["text"].decode()
        expect(stored.startswith(seen), "the history lost text that the window showed")

        with Window(options.bin, home, screen, PACE_MS) as window:
            state = window.wait_for(lambda s: answer_of(s)["text"], "the conversation to be found again")
            expect([m["text"] for m in state["messages"]] == [PROMPT, stored], "the conversation changed")
            expect(answer_of(state)["status"] == "Interrupted", f"the answer is {answer_of(state)['status']}")
            window.click("continueButton")
            wait_for_text(window, len(stored) + 40)
            state = stop_answer(window)
            expect(answer_of(state)["status"] == "Stopped", f"the answer is {answer_of(state)['status']}")
            expect(answer_of(state)["text"].startswith(stored), "text changed when the answer was continued")
            window.quit()
        history, painted = check_history(home)
        answer = history.last_answer()
        expect(answer["status"] == "stopped", f"the stored answer is {answer['status']}")
        expect(answer["text"].decode() == answer_of(state)["text"], "window and history differ")
        check_against_uninterrupted(options.bin, model, history, answer)

        with Window(options.bin, home, screen, PACE_MS) as window:
            window.wait_for(lambda s: s["modelState"] == "Ready", "the model after a restart")
            window.send_message("And then?")
            wait_for_text(window)
            stop_answer(window)
            window.send_message("Go on.")  # the click on stop left the keyboard where it was
            window.wait_for(lambda s: s["messages"][-2]["text"] == "Go on.", "a question right after stopping")
            window.quit()

        check_deletion(options, home, screen)
        expect_failure(lambda: check_against_uninterrupted(options.bin, model, history,
                                                           {**answer, "seed": answer["seed"] ^ 1}),
                       "another seed gave the same answer")
        with open(home.paint_log, "a", encoding="utf-8") as log:
            log.write(json.dumps({"id": answer["id"], "offset": len(answer["text"]), "text": "x"}) + "\n")
        expect_failure(lambda: check_history(home), "a painted character that is not stored went unnoticed")
        return f"{painted} bytes painted, {len(answer['token_ids'])} ids equal to an uninterrupted run"


def probed(folder, program):
    """What the socket probe saw in a program: address family → errno (0: a socket was opened)."""
    path = pathlib.Path(folder) / program
    wait_until(lambda: path.exists() and len(path.read_text().splitlines()) == 3, f"the probe in {program}")
    return {int(family): int(error) for family, error in (line.split() for line in path.read_text().splitlines())}


def check_probes(options):
    unix, inet, inet6, refused = 1, 2, 10, 13
    with display() as screen, new_home() as home, tempfile.TemporaryDirectory() as folder:
        preload = {"LD_PRELOAD": str(options.probe), "INGLE_SOCKET_PROBE": folder}
        subprocess.run(["sleep", "2"], env={**os.environ, **preload}, check=True)
        expect(probed(folder, "sleep")[inet] == 0, "the probe cannot open a socket even in an ordinary program")
        with Window(options.bin, home, screen, extra_environment=preload) as window:
            load_model(window, options.model)
            # The engine needs none at all.
            for program, local in (("inglenook-test", 0), ("ingle", refused)):
                seen = probed(folder, program)
                expect(seen == {unix: local, inet: refused, inet6: refused}, f"{program} could open sockets: {seen}")
            window.quit()


def file_calls(log, times, thread, folder):
    """What a thread did between two moments that may wait for a disk: files in that folder, and flushing any."""
    calls = []
    for line in log.splitlines():
        # A call that another one interrupts in the log still names its file in the first half.
        number, at, call = line.split(None, 2)
        if int(number) == thread and times[0] < float(at) < times[1] and (re.match(r"f(data)?sync\(", call) or (
                re.match(r"(open|creat|rename|unlink)", call) and f'"{folder}' in call)):
            calls.append(call)
    return calls


def check_painter(log, times, painter, folder):
    calls = file_calls(log, times, painter, folder)
    expect(not calls, f"the thread that paints used files: {calls[:3]}")


def check_trace(options):
    with display() as screen, new_home() as home:
        log = home.root / "strace.log"
        folder = home.root / "data"
        (folder / "inglenook/crashes").mkdir(parents=True)
        (folder / "inglenook/crashes/new-1700000000-1.txt").write_text("what happened")
        traced = ("execve,socket,socketpair,io_uring_setup,"
                  "open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,fsync,fdatasync")
        wrapper = ["strace", "-f", "-qq", "-ttt", "-e", f"trace={traced}", "-o", str(log)]
        with Window(options.bin, home, screen, PACE_MS, wrapper) as window:
            since = time.time()
            painter = window.pid
            window.wait_for(lambda s: s["bannerAction"] == "Show the report", "the report of a crash")
            load_model(window, options.model)
            window.send_message(PROMPT)
            wait_for_text(window, 20)
            window.command("key", key="N", modifiers=["ctrl"])
            window.command("type", text="another draft")
            window.command("key", key="Down", modifiers=["alt"])
            wait_for_text(window, 20)
            kill_host(window)
            stop_answer(window)
            window.command("key", key="Backspace", modifiers=["ctrl", "shift"])
            window.wait_for(lambda s: s["conversations"] == 0, "the conversation to go")
            window.command("key", key="Z", modifiers=["ctrl"])
            window.wait_for(lambda s: s["conversations"] == 1, "the conversation to be back")
            until = time.time()
            window.quit()
        calls = log.read_text()
    expect(re.search(r'execve\("[^"]*/ingle"', calls), "the host was not traced")
    expect(re.search(r"socket\(AF_UNIX.*= \d+", calls), "no local socket was traced")
    opened = re.findall(r"socket(?:pair)?\((?!AF_UNIX|AF_NETLINK).*= \d+|io_uring_setup.*= \d+", calls)
    expect(not opened, f"internet sockets were opened: {opened[:3]}")
    check_painter(calls, (since, until), painter, folder)
    # The same is found where it is: with the journal's thread, which flushes, and with this one before it paints.
    others = {int(line.split(None, 1)[0]) for line in calls.splitlines()} - {painter}
    flushing = [
        each for each in others if any("sync(" in call for call in file_calls(calls, (since, until), each, folder))
    ]
    expect(flushing, "no thread flushed anything")
    expect_failure(lambda: check_painter(calls, (since, until), flushing[0], folder), "flushing was not found")
    expect_failure(lambda: check_painter(calls, (0, since), painter, folder), "opening a file was not found")
    return len(calls.splitlines())


def offline(options):
    if options.probe:
        check_probes(options)
    return f"{check_trace(options)} traced calls, no internet socket, no file for the thread that paints"


# Speaks the protocol up to the point where the model is loaded, and then dies: every time.
DYING_HOST = """#!/usr/bin/env python3
import json, os, sys
for line in sys.stdin:
    request = json.loads(line)
    with open(os.environ["INGLE_HOST_STARTS"], "a") as log:
        print(request["op"], file=log)
    if request["op"] == "hello":
        print(json.dumps({"id": request["id"], "event": "hello", "version": 3, "program": "dying"}), flush=True)
    elif request["op"] == "recognise":
        path = request["paths"][0]
        info = {"path": path, "name": "dying", "format": "x", "family": "x"}
        thing = {"kind": "quantised", "path": path, "sentence": "", "actions": ["open"], "info": info}
        print(json.dumps({"id": request["id"], "event": "recognised", "things": [thing]}), flush=True)
    elif request["op"] == "load":
        os.kill(os.getpid(), 9)
    elif request["op"] == "computer":
        error = {"code": "Unsupported", "message": "Not here."}
        names = ("availableBytes", "cacheBytes", "mostBytes", "usableBytes", "weightBytes", "workBytes")
        memory = dict.fromkeys(names, 0)
        reply = {"id": request["id"], "event": "failed", "error": error, "memory": {**memory, "choices": []}}
        print(json.dumps(reply), flush=True)
"""


def strange_files(options, folder):
    """(what the window must name, a file): one model, each time with one thing that this version does not know."""
    model = folder / "model.gguf"
    subprocess.run([f"{options.bin}/ingle", "synth", "--family", "llama", "-o", str(model)], check=True)
    original = model.read_bytes()

    def with_string(key, old, new):
        counted = [len(text).to_bytes(8, "little") + text for text in (old, new)]
        prefix = key + (8).to_bytes(4, "little")  # 8: the value is a string
        expect(prefix + counted[0] in original, f"the model has no {key} {old}")
        return original.replace(prefix + counted[0], prefix + counted[1])

    # A tensor's entry: its name, the number of dimensions, two dimensions, the block type.
    block_type = original.index(b"token_embd.weight") + len(b"token_embd.weight") + 4 + 2 * 8
    contents = {
        "version 77": original[:4] + (77).to_bytes(4, "little") + original[8:],
        "xlama": with_string(b"general.architecture", b"llama", b"xlama"),
        "lemma": with_string(b"tokenizer.ggml.model", b"llama", b"lemma"),
        "43": original[:block_type] + bytes([43]) + original[block_type + 1:],
    }
    for number, (name, content) in enumerate(contents.items()):
        path = folder / f"strange-{'abcd'[number]}.gguf"
        path.write_bytes(content)
        yield name, path


def refusals(options):
    with display() as screen, new_home() as home, Window(options.bin, home, screen) as window:
        seen = ""
        for name, path in strange_files(options, home.root):
            window.drop(path)
            state = window.wait_for(lambda s: not s["inspecting"] and s["banner"] not in ("", seen),
                                    f"a sentence about {name}")
            seen = state["banner"]
            expect(name in seen.replace(str(path), ""), f"the sentence does not name {name}: {seen}")
            expect(seen.count("\n") == 0, f"more than a sentence: {seen}")
            expect(state["modelState"] == "NoModel", f"a file with an unknown {name} was loaded")
        window.quit()

    with display() as screen, new_home() as home:
        model = home.root / f"shrinking{pathlib.Path(options.model).suffix}"
        shutil.copy(options.model, model)
        model.chmod(0o644)
        with Window(options.bin, home, screen, PACE_MS) as window:
            load_model(window, model)
            window.send_message(PROMPT)
            wait_for_text(window, 10)
            os.truncate(model, 4096)
            state = window.wait_for(lambda s: s["generationState"] == "Idle", "the answer to end with the file")
            expect("model file changed" in answer_of(state)["error"], f"the answer says: {answer_of(state)['error']}")
            window.quit()

    with display() as screen, new_home() as home, tempfile.TemporaryDirectory() as programs:
        shutil.copy(pathlib.Path(options.bin) / "inglenook-test", programs)
        host = pathlib.Path(programs) / "ingle"
        host.write_text(DYING_HOST)
        host.chmod(0o755)
        starts = home.root / "starts"
        with Window(programs, home, screen, extra_environment={"INGLE_HOST_STARTS": str(starts)}) as window:
            window.drop(options.model)
            state = window.wait_for(lambda s: s["modelState"] == "Failed", "the window to give up")
            time.sleep(1)
            loads = starts.read_text().split().count("load")
            expect(loads == 3, f"the model was loaded {loads} times: once and two restarts were expected")
            window.quit()
    return f"“{seen}”, and {loads} loads of a file that kills its host"


def published_folder(folder, layers, width):
    """A model as Hugging Face keeps it: llama by Mistral's names, random numbers, a vocabulary of bytes."""
    folder.mkdir()
    generator = random.Random(1)
    tensors = {"model.embed_tokens.weight": [300, width], "model.norm.weight": [width]}
    for layer in range(layers):
        prefix = f"model.layers.{layer}."
        for norm in ("input_layernorm", "post_attention_layernorm"):
            tensors[f"{prefix}{norm}.weight"] = [width]
        for matrix in ("q_proj", "k_proj", "v_proj", "o_proj"):
            tensors[f"{prefix}self_attn.{matrix}.weight"] = [width, width]
        for matrix in ("gate_proj", "up_proj"):
            tensors[f"{prefix}mlp.{matrix}.weight"] = [4 * width, width]
        tensors[f"{prefix}mlp.down_proj.weight"] = [width, 4 * width]
    some = struct.pack("<4096f", *(generator.gauss(0, 0.05) for _ in range(4096)))
    header, data = {}, bytearray()
    for name, shape in tensors.items():
        bytes_wanted = 4 * math.prod(shape)
        begin = len(data)
        data += struct.pack("<f", 1) * shape[0] if len(shape) == 1 else (some *
                                                                         (bytes_wanted // len(some) + 1))[:bytes_wanted]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    (folder / "config.json").write_text(
        json.dumps({
            "architectures": ["LlamaForCausalLM"], "hidden_size": width, "intermediate_size": 4 * width,
            "num_hidden_layers": layers, "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 300,
            "max_position_embeddings": 512, "rms_norm_eps": 1e-5, "tie_word_embeddings": True
        }))
    vocabulary = {
        "<unk>": 0, "<s>": 1, "</s>": 2, **{f"<0x{byte:02X}>": 3 + byte for byte in range(256)}, "\u2581": 259,
        "a": 260, "\u2581a": 261
    }
    added = [{"id": number, "content": name, "special": True} for number, name in enumerate(("<unk>", "<s>", "</s>"))]
    (folder / "tokenizer.json").write_text(
        json.dumps({
            "added_tokens": added, "normalizer": {
                "type": "Sequence",
                "normalizers": [{"type": "Prepend", "prepend": "\u2581"},
                                {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]
            }, "model": {
                "type": "BPE", "unk_token": "<unk>", "byte_fallback": True, "vocab": vocabulary, "merges": ["\u2581 a"]
            }
        }))
    return folder


def check_answers(window):
    """A question is answered, in whatever noise a model of random numbers has to say."""
    earlier = len(window.state()["messages"])
    window.send_message(PROMPT)
    window.wait_for(lambda s: len(s["messages"]) == earlier + 2 and answer_of(s)["text"], "an answer")
    window.command("key", key="Escape")
    window.wait_for(lambda s: s["generationState"] == "Idle", "the end of the answer")


def files_below(folder):
    return [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []


def make_smaller(window):
    """Clicks the button and waits until some of it is done."""
    window.click("smallerMake")
    return window.wait_for(lambda s: s["smaller"] == "Failed" or s["smallerFraction"] > 0.05,
                           "the smaller model to be begun")


def check_stopped(options, published, screen, home):
    """Stopped, killed with the window, and on a full disk: each leaves nothing."""
    made = home.root / "data/inglenook/models"
    with Window(options.bin, home, screen) as window:
        window.drop(published)
        expect(make_smaller(window)["smaller"] == "Making", "it was made before it could be stopped")
        window.click("smallerCancel")
        window.wait_for(lambda s: s["smaller"] == "Idle", "the end of it")
        expect(not files_below(made), f"a stopped import left {files_below(made)}")
        window.drop(published)
        make_smaller(window)
        host = window.state()["hostPid"]
        window.kill()
        wait_until(lambda: not is_running(host), "the host to end with its window")
        expect(not files_below(made), f"a killed import left {files_below(made)}")
    # A limit on the size of files is what a disk without room is to whoever writes them.
    limited = ("bash", "-c", "trap '' XFSZ; ulimit -f 4096; exec \"$@\"", "limited")
    with Window(options.bin, home, screen, wrapper=limited) as window:
        window.drop(published)
        state = make_smaller(window)
        state = window.wait_for(lambda s: s["smaller"] == "Failed", "the full disk to be said")
        expect(state["smallerSentence"] == "The disk is full, and nothing was kept.",
               f"it says {state['smallerSentence']}")
        expect(not files_below(made), f"a full disk left {files_below(made)}")
        if options.shots:
            window.command("screenshot", path=str(pathlib.Path(options.shots) / "smaller-full.png"))
        window.command("key", key="Escape")
        window.wait_for(lambda s: s["smaller"] == "Idle", "the card to close")
        window.quit()


def folders(options):
    with display() as screen, new_home() as home:
        tiny = published_folder(home.root / "Tiny-Llama-Instruct", 2, 256)
        large = published_folder(home.root / "Large-Llama", 16,
                                 512)  # so large that making it smaller is worth a question
        made = home.root / "data/inglenook/models"
        with Window(options.bin, home, screen, PACE_MS) as window:
            window.drop(tiny)
            state = window.wait_for(lambda s: s["modelState"] == "Ready", "the model of the folder")
            expect(state["modelPath"] == str(tiny), f"another model was loaded: {state['modelPath']}")
            expect(state["modelName"] == "Tiny Llama Instruct", f"it is called {state['modelName']}")
            check_answers(window)
            window.quit()
        with Window(options.bin, home, screen, PACE_MS) as window:
            state = window.wait_for(lambda s: s["modelState"] == "Ready", "the folder after a restart")
            expect(state["modelPath"] == str(tiny), "the library forgot the folder")
            window.drop(large)
            window.wait_for(lambda s: s["smaller"] == "Asking", "the question")
            if options.shots:
                window.command("screenshot", path=str(pathlib.Path(options.shots) / "smaller-asking.png"))
            window.click("smallerAsItIs")
            window.wait_for(lambda s: s["modelState"] == "Ready" and s["modelPath"] == str(large),
                            "the large one as it is")
            window.drop(large)
            window.click("smallerMake")
            state = window.wait_for(lambda s: s["modelState"] == "Ready" and s["modelPath"] != str(large),
                                    "the smaller model")
            small = pathlib.Path(state["modelPath"])
            expect(state["modelName"] == "Large Llama", f"the smaller one is called {state['modelName']}")
            expect(files_below(made) == [small], f"{small} and {files_below(made)}")
            whole = (large / "model.safetensors").stat().st_size
            expect(small.stat().st_size < whole / 4, f"{small.stat().st_size} of {whole} bytes are not much smaller")
            check_answers(window)
            window.quit()
        small.unlink()
        check_stopped(options, large, screen, home)
    return f"{whole} bytes used as they are, and made smaller"


SCENARIOS = {scenario.__name__: scenario for scenario in (guide, newcomer, conversation, offline, refusals, folders)}


def parse_options(parser):
    parser.add_argument("--bin", required=True, help="the folder of inglenook-test and ingle")
    parser.add_argument("--probe", help="the socket probe to preload (libsocket_probe.so)")
    parser.add_argument("--shots", help="a folder for screenshots")
    options = parser.parse_args()
    missing = [program for program in ("Xvfb", "strace") if not shutil.which(program)]
    if missing:
        print(f"skipped: {', '.join(missing)} is not there")
        sys.exit(SKIPPED)
    options.bin = os.path.abspath(options.bin)
    options.model = model_file(options.bin)
    return options


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []], help="default: all")
    options = parse_options(parser)
    for name in options.scenarios or SCENARIOS:
        start = time.monotonic()
        try:
            result = SCENARIOS[name](options)
        except Failure as failure:
            print(f"{name}: FAILED: {failure}")
            sys.exit(1)
        print(f"{name}: passed in {time.monotonic() - start:.1f} s: {result}", flush=True)


if __name__ == "__main__":
    main()
