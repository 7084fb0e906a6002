"""Speaks the host protocol without an engine. The answer to every prompt is the numbers 0, 1, 2 … up to --tokens.

--crash-file F   holds how many more times this program dies; each death takes one
--crash-at N     dies before token N of a generation (default: while loading)
--version V      what it says in hello
--exit-code C    how it dies
--load-ms N      how long loading takes
--two            the model before stays in memory; until an answer, if it is large
--thinking N     so many tokens are thoughts
--note TEXT      the plan's note
--file-note TEXT the same, which is about the model's file
--move-at N      another device takes over before token N of a generation that has not passed it
--fail-at N      an answer fails before token N of it
--graphics NAME  a graphics device that is there beside the processor
--signal N       dies of this signal instead
--forget         the prompt has room for the last message only
--refuse         nothing fits, but with a context of 1,024 tokens, or anyway
--memory N       bytes of this computer, and --available N of them free
--device-note T  why it is not the device that was asked for, after loading
--import-ms N    how long an import takes; 0: it does not end by itself
--published N    bytes of a model that could be made smaller
--other-at N     a check of an answer finds another token at N
--prompt-hash N  what a check finds before the answer, and --model-hash H of the model's file

--title TEXT     what it says when a title is asked for, and --title-ms how long it takes
--say TEXT       the whole answer, in place of numbers
--guessed N      so many of its tokens were guessed
--read-tokens N  what a document is to read, and --read-ms how long a tenth of it takes
--read-room N    the context has room for so many tokens
--embed-ms N     how long it takes to say whether texts are about light

--listen PATH    it is the bridge: it serves one client after another at that socket, and no file; --far NAME is a
model of it, on --far-device NAME

A path with "sees" is a model that sees pictures, one with "maybe" may see by one of two files, one with "halved" has
a damaged vision file, and one with "bge" compares texts. A path with "published" is a model
that could be made smaller, one with "huge" a model that does not fit; an import into a folder with "full" fails.
"""
import argparse
import json
import os
import socket
import struct
import sys
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("--crash-file")
parser.add_argument("--crash-at", type=int)
parser.add_argument("--exit-code", type=int, default=9)
parser.add_argument("--version", type=int, default=3)
parser.add_argument("--tokens", type=int, default=20)
parser.add_argument("--pace-ms", type=float, default=0)
parser.add_argument("--load-ms", type=float, default=0)
parser.add_argument("--two", action="store_true")
parser.add_argument("--thinking", type=int, default=0)
parser.add_argument("--note", default="")
parser.add_argument("--file-note", default="")
parser.add_argument("--move-at", type=int)
parser.add_argument("--fail-at", type=int)
parser.add_argument("--device-note", default="")
parser.add_argument("--graphics", action="append", default=[])
parser.add_argument("--signal", type=int)
parser.add_argument("--tokenizer", default="bytes")
parser.add_argument("--forget", action="store_true")
parser.add_argument("--refuse", action="store_true")
parser.add_argument("--memory", type=int, default=8 << 30)
parser.add_argument("--available", type=int, default=5 << 30)
parser.add_argument("--import-ms", type=float, default=100)
parser.add_argument("--published", type=int, default=16400000000)
parser.add_argument("--log")
parser.add_argument("--prompt-hash", type=int, default=7)
parser.add_argument("--other-at", type=int)
parser.add_argument("--model-hash", default="a" * 32)
parser.add_argument("--say")
parser.add_argument("--title", default="")
parser.add_argument("--title-ms", type=float, default=0)
parser.add_argument("--guessed", type=int, default=0)
parser.add_argument("--read-tokens", type=int, default=1000)
parser.add_argument("--read-ms", type=float, default=1)
parser.add_argument("--read-room", type=int)
parser.add_argument("--room", type=int, default=48)
parser.add_argument("--embed-ms", type=float, default=1)
parser.add_argument("--listen")
parser.add_argument("--far", action="append", default=[])
parser.add_argument("--far-device", default="far.example")
args = parser.parse_args()

RECEIPT = {"program": "1.0", "modelHash": args.model_hash, "backend": "cpu", "device": "a fake", "instructions": "avx2"}
# By a word in the path of the file; the arguments' "path" is that path.
FAILURES = {
    "broken": {"code": "Corrupt", "message": "is not a model."},
    "cut": {"code": "Corrupt", "message": "ends past the end.", "id": "downloadIncomplete",
            "arguments": ["2100000000", "4900000000"]},
    "page": {"code": "Unsupported", "message": "a web page, not the model", "id": "webPage", "arguments": ["path"]},
    "gone": {"code": "Io", "message": "No such file or directory", "id": "fileMissing", "arguments": ["path"]},
}
loaded = []  # paths: the model in use, and the one that stays beside it
cancelled = set()
pictures = set()  # hashes of those that were given
writing = threading.Lock()


def say(**event):
    with writing:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()


def maybe_die():
    if not args.crash_file:
        return
    with open(args.crash_file, encoding="ascii") as file:
        left = int(file.read())
    if left > 0:
        with open(args.crash_file, "w", encoding="ascii") as file:
            file.write(str(left - 1))
        if args.exit_code == 3:
            say(id=0, event="failed", error={"code": "Io", "message": "The model file changed."})
        if args.signal:
            os.kill(os.getpid(), args.signal)
        os._exit(args.exit_code)


def lacks_picture(request_id, request):
    """Whether a picture that the messages name was not given; says so then."""
    for message in request["messages"]:
        for part in message["parts"]:
            if part["kind"] == "image" and part["data"] not in pictures:
                say(id=request_id, event="failed", error={
                    "code": "InvalidArgument", "message": "a picture is needed", "id": "pictureNeeded",
                    "arguments": [part["data"]]})
                return True
    return False


def picture(request_id, message):
    if message.get("bytes"):
        pictures.add(message["hash"])
    if not lacks_picture(request_id, {"messages": [{"parts": [{"kind": "image", "data": message["hash"]}]}]}):
        half = {"top": 0, "width": 150, "height": 200, "seenWidth": 28, "seenHeight": 28, "tokens": 2}
        say(id=request_id, event="picture", hash=message["hash"], width=300, height=200, tokens=4,
            tiles=[{"left": 0, **half}, {"left": 150, **half}])


def title(request_id):
    end = time.monotonic() + args.title_ms / 1000
    while time.monotonic() < end and request_id not in cancelled:
        time.sleep(0.005)
    say(id=request_id, event="tokens", ids=[1], pieces=[{"kind": "text", "text": args.title}])
    say(id=request_id, event="done", result={
        "reason": "cancelled" if request_id in cancelled else "endOfText",
        "stats": {"promptTokens": 5, "cachedTokens": 0, "newTokens": 1, "prefillMs": 1, "decodeMs": 1,
                  "guessedTokens": 0, "takenTokens": 0}, "withheld": ""}, receipt=RECEIPT)


def generate(request_id, request):
    if len(loaded) > 1 and "large" in loaded[1]:
        del loaded[1]
        say(id=0, event="released")
    if lacks_picture(request_id, request):
        return
    last = len(request["messages"]) - 1
    if request["messages"][last]["parts"][-1].get("text", "").startswith("Write a title"):
        return title(request_id)
    kept, dropped = ([last], list(range(last))) if args.forget else ([0], [])
    say(id=request_id,
        event="plan",
        plan={
            "kept": kept, "dropped": dropped, "promptTokens": 5, "contextTokens": 64, "promptHash": 7,
            "note": args.note or args.file_note
        })
    done = len(request.get("resumeIds", [])) or len(request.get("resumeText", "").split())
    for token in range(done, args.tokens):
        if token == args.crash_at:
            maybe_die()
        if request_id in cancelled:
            break
        if token == args.fail_at:
            return say(id=request_id, event="failed", error={
                "code": "InvalidArgument", "message": "it needs 5000 tokens", "id": "messageTooLong",
                "arguments": ["5000", "3072"]})
        if token == args.move_at:
            for percent in (0, 50, 100):
                say(id=request_id, event="progress", fraction=percent / 100, phase="reading the prompt",
                    device="another fake", note="a fake failed.")
        say(id=request_id,
            event="tokens",
            ids=[] if args.listen else [token],
            pieces=[{
                "kind": "thought" if token < args.thinking else "text", "text": args.say if args.say else f"{token} "
            }])
        if args.say:
            break
        time.sleep(args.pace_ms / 1000)
    say(id=request_id, event="done", result={
        "reason": "cancelled" if request_id in cancelled else "endOfText",
        "stats": {"promptTokens": 5, "cachedTokens": 0, "newTokens": args.tokens - done, "prefillMs": 1, "decodeMs": 1,
                  "guessedTokens": args.guessed, "takenTokens": args.guessed},
        "withheld": ""}, receipt={**RECEIPT, "modelHash": "a" * 32, "device": "a fake"})


def score(request_id, message):
    """At every place the token that stands there is likeliest, then the one a hundred above, then the end."""
    ids, first = message["ids"], message.get("from", 0)
    pieces = [
        {"kind": "thought" if index < args.thinking else "text", "text": f"{token} "} for index, token in enumerate(ids)
    ]
    if message.get("atByte", -1) >= 0:
        said = 0
        for first, piece in enumerate(pieces):
            said += len(piece["text"]) if piece["kind"] == "text" else 0
            if said > message["atByte"]:
                break
    last = first + message["count"] if message.get("count") else len(ids)
    positions = []
    for index in range(first, last):
        token = ids[index] if index < len(ids) else -1
        other = index == args.other_at
        positions.append({
            "stored": {"id": token, "text": f"{token} ", "p": 0.5},
            "chosen": {"id": token + other, "text": "else" if other else f"{token} "}, "margin": 0.25 if other else 0,
            "top": [{"id": token, "text": f"{token} ",
                     "p": 0.5}, {"id": token + 100, "text": f"{token + 100} ", "p": 0.25},
                    {"id": 2, "text": "", "p": 0.005, "ends": True}][:message.get("top", 0)]
        })
    say(id=request_id,
        event="scored",
        promptHash=args.prompt_hash,
        receipt=RECEIPT,
        positions=positions,
        before=pieces[:first],
        **{"from": first})


def preview(request_id, request):
    """A character is a token, and the form of the chat takes one for each message."""
    try:
        json.loads(request.get("jsonSchema", "true"))
    except ValueError:
        return say(id=request_id, event="failed", error={
            "code": "InvalidArgument", "message": "no JSON", "id": "grammarRefused", "arguments": ["it is no JSON"]})
    if lacks_picture(request_id, request):
        return
    messages = request["messages"]
    last = len(messages) - 1
    kept = [
        index for index in range(len(messages))
        if not args.forget or index == last or index in request.get("pinned", [])
    ]
    texts = ["".join(part["text"] for part in messages[index]["parts"]) for index in kept]
    tokens = sum(map(len, texts)) + len(texts)
    if tokens > args.room and not args.forget:
        return say(id=request_id,
                   event="failed",
                   error={
                       "code": "InvalidArgument", "message": "too long", "id": "messageTooLong",
                       "arguments": [str(tokens), str(args.room)]
                   })
    form = request.get("promptForm", {}).get("chatTemplate", "<>")
    note = "It is not used." if "{% for %}" in form else ""
    open_mark, close_mark = ("<", ">") if note else (form[0], form[-1])
    say(id=request_id, event="previewed", room=args.room, text="".join(open_mark + text + close_mark for text in texts),
        partTokens=[[len(part["text"]) for part in each["parts"]] for each in messages],
        plan={"kept": kept, "dropped": [index for index in range(len(messages)) if index not in kept],
              "promptTokens": tokens, "contextTokens": 64, "promptHash": 7, "note": note})


def refusal_of(path):
    """The error that the path asks for, or None."""
    for word, error in FAILURES.items():
        if word in path:
            arguments = [path if each == "path" else each for each in error.get("arguments", [])]
            return {**error, "message": f"{path} {error['message']}", "arguments": arguments}
    return None


def info_of(path):
    info = {"path": path, "name": "fake", "format": "GGUF v3", "family": "llama", "fileBytes": 1,
            "weightBytes": 1, "numParameters": 1, "numLayers": 1, "dim": 1, "vocabSize": 1, "trainedContext": 64,
            "quantBytes": {}, "tokenizer": args.tokenizer, "promptFormat": "plain",
            "backend": "cpu", "device": "a fake", "deviceNote": args.device_note, "contextTokens": 64,
            "foretoldTokensPerSecond": 12, "chatTemplate": "{own}"}
    if args.file_note:
        info.update(promptNote=args.file_note, chatTemplate="{% for %}" if "read" in args.file_note else "")
    if args.refuse:
        info.update(fileBytes=5100000000, smallerQuant="Q4_K_M", smallerBytes=2000000000)
    if "huge" in path:
        info.update(memory={"weightBytes": 9 * 10 ** 9, "cacheBytes": 0, "workBytes": 0, "mostBytes": 0,
                            "availableBytes": 5 * 10 ** 9, "usableBytes": 8 * 10 ** 9, "choices": []})
    if "sees" in path:
        info.update(name="eyes", seesPictures=True)
    if "maybe" in path:
        info.update(visionFiles=[f"{path}.mmproj.gguf", f"{path}.other.gguf"])
    if "halved" in path:
        info.update(visionTrouble=f"{path}.mmproj.gguf: the file ends early")
    if "bge" in path:
        info.update(name="bge", family="bert", promptFormat="none")
    if "published" in path:
        info.update(name="Qwen3-8B", fileBytes=args.published, smallerQuant="Q4_K_M", smallerBytes=5000000000)
    return info


def far_model(name):
    path = f"bridge:{name}"
    info = {**info_of(path), "name": name, "family": "remote", "tokenizer": "remote", "promptFormat": "template",
            "backend": "remote", "device": args.far_device}
    return {"kind": "remote", "path": path, "sentence": "far away", "actions": ["open"], "info": info}


def recognise(path):
    refusal = refusal_of(path)
    if refusal:
        return {
            "kind": "unknown", "path": path, "sentence": refusal["message"], "actions": ["getInstead"],
            "refusal": refusal
        }
    if path.endswith((".txt", ".md", ".json", ".zip", ".db", ".sqlite", ".chat", "/threads", ".png", ".jpg", ".heic",
                      ".pdf")):
        error = {"code": "Unsupported", "message": f"{path}: not a model", "id": "notAModel", "arguments": [path]}
        return {
            "kind": "unknown", "path": path, "sentence": error["message"], "actions": ["readText"], "refusal": error
        }
    published = "published" in path
    return {"kind": "published" if published else "quantised", "path": path, "sentence": "fake",
            "actions": ["open", "makeSmaller"] if published else ["open"], "info": info_of(path)}


def make_smaller(request_id, message):
    for step in range(10):
        say(id=request_id, event="progress", fraction=step / 10, phase="writing the model")
        end = time.monotonic() + args.import_ms / 10000
        while (args.import_ms == 0 or time.monotonic() < end) and request_id not in cancelled:
            time.sleep(0.005)
        if request_id in cancelled:
            return say(id=request_id,
                       event="failed",
                       error={"code": "Cancelled", "message": "It was cancelled.", "id": "cancelled"})
    if "full" in message["folder"]:
        return say(id=request_id, event="failed", error={
            "code": "Io", "message": "needs 5 GB", "id": "modelNeedsRoom",
            "arguments": [message["folder"], "5000000000", "1200000000"]})
    path = f"{message['folder']}/{message['name']}-{message['quant']}.gguf"
    os.makedirs(message["folder"], exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write("smaller")
    say(id=request_id, event="imported", path=path, bytes=7)


kept = {}  # by keeper: tokens


def read(request_id, keeper):
    """A tenth of the document at a time; goes on where an earlier reading was cancelled."""
    if args.read_room:
        return say(id=request_id, event="failed", error={
            "code": "InvalidArgument", "message": "the text is too long", "id": "messageTooLong",
            "arguments": [str(args.read_tokens), str(args.read_room)]})
    cost = {"tokens": args.read_tokens, "keptBytes": 2000 * args.read_tokens}
    say(id=request_id, event="cost", readTokens=kept.get(keeper, 0), **cost)
    while kept.get(keeper, 0) < args.read_tokens:
        time.sleep(args.read_ms / 1000)
        if request_id in cancelled:
            return say(id=request_id,
                       event="failed",
                       error={"code": "Cancelled", "message": "It was cancelled.", "id": "cancelled"})
        kept[keeper] = kept.get(keeper, 0) + args.read_tokens // 10
        say(id=request_id, event="progress", fraction=kept[keeper] / args.read_tokens, phase="reading the prompt")
    return say(id=request_id, event="read", readTokens=args.read_tokens, **cost)


def embed(request_id, message):
    """Words about light mean one thing, all others another."""
    refusal = refusal_of(message["model"])
    if refusal:
        return say(id=request_id, event="failed", error=refusal)
    time.sleep(args.embed_ms / 1000)
    about = [any(word in text for word in ("light", "lamp")) for text in message["texts"]]
    rows = b"".join(struct.pack("<2f", each, not each) for each in about)
    return say(id=request_id, event="embedded", dim=2, rows=rows.hex())


def answer(message):
    request_id, op = message["id"], message["op"]
    if op == "hello":
        say(id=request_id, event="hello", version=args.version, program="fake host")
    elif op == "devices":
        names = ["a CPU", *args.graphics]
        say(id=request_id, event="devices", devices=[
            {"name": name, "kind": "discrete", "use": "never" if "old" in name else "onRequest"} for name in names])
    elif op == "computer":
        say(id=request_id, event="computer", info={
            "processor": "a CPU", "threads": 2, "installedBytes": args.memory, "usableBytes": args.memory,
            "availableBytes": args.available, "readBytesPerSecond": 10 ** 10})
    elif op == "recognise":
        things = [far_model(name) for name in args.far
                 ] if args.listen else [recognise(path) for path in message["paths"]]
        say(id=request_id, event="recognised", things=sorted(things, key=lambda thing: "refusal" in thing))
    elif op == "import":
        threading.Thread(target=make_smaller, args=(request_id, message), daemon=True).start()
    elif op in ("inspect", "load"):
        refusal = refusal_of(message["path"])
        if refusal:
            return say(id=request_id, event="failed", error=refusal)
        options = message.get("options", {})
        if "other" in options.get("visionFile", ""):
            return say(id=request_id, event="failed", error={
                "code": "InvalidArgument", "message": "another model's", "id": "visionFileUnfit",
                "arguments": [options["visionFile"]]})
        if op == "load" and args.refuse and options.get("contextTokens") != 1024 and not options.get("loadAnyway"):
            say(id=request_id, event="failed", error={
                "code": "OutOfMemory", "message": "fake needs too much", "id": "tooLittleMemory",
                "arguments": ["fake", "5100000000", "4500000000"]}, memory={
                "weightBytes": 4 * 10 ** 9, "cacheBytes": 10 ** 9, "workBytes": 10 ** 8, "availableBytes": 45 * 10 ** 8,
                "usableBytes": 8 * 10 ** 9, "choices": [
                    {"remedy": "shorterContext", "contextTokens": 1024, "kv": "f16", "needBytes": 43 * 10 ** 8},
                    {"remedy": "smallerModel", "contextTokens": 4096, "kv": "f16", "quant": "Q4_K_M",
                     "needBytes": 3 * 10 ** 9}]})
            return
        draft = options.get("draft", "")
        if op == "load" and "other" in draft:
            return say(id=request_id, event="failed", error={
                "code": "InvalidArgument", "message": "another vocabulary", "id": "draftUnfit", "arguments": [draft]})
        if op == "load" and args.crash_at is None:
            maybe_die()
        if op == "load":
            RECEIPT["modelPath"] = message["path"]
            if message["path"] not in loaded:
                time.sleep(args.load_ms / 1000)
            loaded[:] = [message["path"], *[path for path in loaded[:1] if args.two and path != message["path"]]]
            beside = {"alsoLoaded": loaded[1]} if len(loaded) > 1 else {}
            info = far_model(message["path"].removeprefix("bridge:"))["info"] if args.listen else info_of(
                message["path"])
            if options.get("visionFile"):
                info.update(seesPictures=True, visionFile=options["visionFile"])
            return say(id=request_id, event="loaded", info=info, **beside)
        say(id=request_id, event="inspected", info=info_of(message["path"]))
    elif op == "unload":
        loaded.clear()
        say(id=request_id, event="unloaded")
    elif op == "picture":
        picture(request_id, message)
    elif op == "preview":
        preview(request_id, message["request"])
    elif op == "score":
        score(request_id, message)
    elif op == "read":
        threading.Thread(target=read, args=(request_id, message["keeper"]), daemon=True).start()
    elif op == "embed":
        threading.Thread(target=embed, args=(request_id, message), daemon=True).start()
    elif op == "retain":
        for keeper in set(kept) - set(message["documents"]):
            del kept[keeper]
    elif op == "generate":
        # On a thread of its own, so that a cancel is read meanwhile.
        threading.Thread(target=generate, args=(request_id, message["request"]), daemon=True).start()


def serve(lines):
    for line in lines:
        if args.log:
            with open(args.log, "a", encoding="utf-8") as log:
                log.write(line)
        received = json.loads(line)
        if received["op"] == "cancel":
            cancelled.add(received["target"])
        else:
            answer(received)


if args.listen:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(args.listen + ".new")
    listening.listen()
    os.rename(args.listen + ".new", args.listen)  # there once it can be reached
    while True:
        client = listening.accept()[0]
        # Two files: one that is written to forgets what it has read ahead.
        sys.stdout = client.makefile("w", encoding="utf-8")
        serve(client.makefile("r", encoding="utf-8"))
serve(sys.stdin)
if args.log:
    with open(args.log, "a", encoding="utf-8") as log:
        log.write("end of input\n")
