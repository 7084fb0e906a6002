"""What ingle-serve refuses, and how it says so: in OpenAI's form, with the name of the field."""
import contextlib
import json
import re
import socket
import subprocess
import time

import jsonschema

from driver import expect
from serve_driver import (GUIDE, QUESTION, Background, Reply, Server, chat_body, embedding_model, expect_ok, guide_path,
                          joined, text_of, write_library)

ERROR = {
    "type": "object", "additionalProperties": False, "required": ["error"], "properties": {
        "error": {
            "type": "object", "additionalProperties": False, "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string", "minLength": 8}, "type": {"type": "string"},
                "param": {"type": ["string", "null"]}, "code": {"type": ["string", "null"]}
            }
        }
    }
}
TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
KEY = "a-key-of-27-characters,-yes"
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
LONG = "word " * 20_000
BODY_LIMIT = 24 << 20
TIME_LIMIT = 4  # for an answer, in seconds
LONG_SECONDS = 3


def refused(reply: Reply, status, param=None, code=None):
    """It is an error of that status which names the field `param`."""
    expect(reply.status == status, f"status {reply.status} in place of {status}: {reply.body[:300]!r}")
    said = reply.json()
    jsonschema.validate(said, ERROR)
    error = said["error"]
    expect(error["type"] == TYPES.get(status, "invalid_request_error" if status < 500 else "server_error"), f"{error}")
    expect(error["param"] == param, f"the field is {error['param']!r} in place of {param!r}: {error}")
    if code is not None:
        expect(error["code"] == code, f"{error}")
    message = error["message"]
    expect(re.match(r"[^a-z]|[a-z]*[^a-z ,]", message) and message.endswith("."), f"this is no sentence: {message}")
    return message


def chat_with(**fields):
    return "/v1/chat/completions", chat_body(**fields)


def without(name):
    body = chat_body()
    del body[name]
    return "/v1/chat/completions", body


def tool(**fields):
    return {"type": "function", "function": {"name": "f", **fields}}


# Request, the field that is named, code.
FIELDS = [
    (chat_with(temprature=1), "temprature", "unsupported_field"),
    (chat_with(temperature="hot"), "temperature", None),
    (chat_with(temperature=3), "temperature", None),
    (chat_with(top_p=-1), "top_p", None),
    (chat_with(seed=1.5), "seed", None),
    (chat_with(n=0), "n", None),
    (chat_with(n=9), "n", None),
    (chat_with(stream="yes"), "stream", None),
    (chat_with(stream_options={"include_usages": True}), "stream_options.include_usages", "unsupported_field"),
    (chat_with(max_tokens=-2), "max_tokens", None),
    (chat_with(dry_sequence_breakers=[1]), "dry_sequence_breakers", None),
    (chat_with(max_completion_tokens=2**40), "max_completion_tokens", None),
    (chat_with(stop=[1]), "stop", None),
    (chat_with(stop=[""]), "stop", None),
    (chat_with(stop=["x"] * 17), "stop", None),
    (chat_with(logit_bias={"the": 5}), "logit_bias", None),
    (chat_with(logit_bias={"1": 500}), "logit_bias", None),
    (chat_with(presence_penalty=3), "presence_penalty", None),
    (chat_with(top_logprobs=2), "top_logprobs", None),
    (chat_with(modalities=["audio"]), "modalities", None),
    (chat_with(response_format={"type": "xml"}), "response_format.type", None),
    (chat_with(response_format={"type": "json_schema"}), "response_format.json_schema", None),
    (chat_with(response_format={"type": "json_schema", "json_schema": {"name": "x"}}),
     "response_format.json_schema.schema", None),
    (chat_with(tool_choice="required"), "tool_choice", None),
    (chat_with(tools=[{"type": "web_search"}]), "tools[0].type", None),
    (chat_with(tools=[tool(parameters=[])]), "tools[0].function.parameters", None),
    (chat_with(tools=[tool()], tool_choice={"type": "function", "function": {"name": "g"}}), "tool_choice", None),
    (chat_with(messages=[]), "messages", None),
    (chat_with(messages="hello"), "messages", None),
    (chat_with(messages=[{"role": "poet", "content": "x"}]), "messages[0].role", None),
    (chat_with(messages=[{"role": "user"}]), "messages[0].content", None),
    (chat_with(messages=[{"role": "user", "content": [{"type": "text", "text": "see"}, PICTURE]}]), None,
     "cannotSee"),
    (chat_with(messages=[{"role": "tool", "tool_call_id": "x", "content": "1"}]), "messages[0].tool_call_id", None),
    (chat_with(messages=["hello"]), "messages[0]", None),
    (chat_with(continue_final_message=True), "continue_final_message", None),
    (without("messages"), "messages", None),
    (("/v1/completions", {"model": GUIDE, "prompt": "x", "echo": True}), "echo", None),
    (("/v1/completions", {"model": GUIDE, "prompt": ""}), "prompt", None),
    (("/v1/completions", {"model": GUIDE, "prompt": ["x", [1.5]]}), "prompt", None),
    (("/v1/completions", {"model": GUIDE, "prompt": [99_999_999]}), None, None),
    (("/v1/responses", {"model": GUIDE}), "input", None),
    (("/v1/responses", {"model": GUIDE, "input": "x", "previous_response_id": "y"}), "previous_response_id", None),
    (("/v1/responses", {"model": GUIDE, "input": "x", "tools": [{"type": "web_search"}]}), "tools[0].type", None),
    (("/detokenize", {"model": GUIDE}), "tokens", None),
    (("/detokenize", {"model": GUIDE, "tokens": ["x"]}), "tokens", None),
    (("/detokenize", {"model": GUIDE, "tokens": [99_999_999]}), None, None),
    (("/v1/embeddings", {"model": "letters", "input": "word " * 5000}), None, "context_length_exceeded"),
    (("/v1/completions", {"model": GUIDE, "prompt": "x", "suffix": "y"}), "suffix", "unsupported_field"),
    (("/v1/embeddings", {"model": "letters", "input": []}), "input", None),
    (("/v1/embeddings", {"model": "letters", "input": [[1, "x"]]}), "input", None),
    (("/v1/embeddings", {"model": "letters", "input": ["x", [1]]}), "input", None),
    (("/v1/embeddings", {"model": "letters", "input": [2000000000]}), None, None),
    (("/v1/embeddings", {"model": "letters", "input": "x", "encoding_format": "hex"}), "encoding_format", None),
    (("/v1/embeddings", {"model": "letters", "input": "x", "dimensions": 0}), "dimensions", None),
    (("/v1/embeddings", {"model": "letters", "input": "x", "input_type": "song"}), "input_type", None),
    (("/v1/rerank", {"model": "letters", "query": "x", "documents": []}), "documents", None),
    (("/v1/rerank", {"model": "letters", "query": "", "documents": ["x"]}), "query", None),
    (("/v1/rerank", {"model": GUIDE, "query": "x", "documents": ["x"]}), "model", "model_not_suited"),
    (("/v1/embeddings", {"model": GUIDE, "input": "x"}), "model", "model_not_suited"),
    (("/v1/completions", {"model": "letters", "prompt": "x"}), "model", "model_not_suited"),
    (("/tokenize", {"model": GUIDE}), "content", None),
    (("/tokenize", {"model": GUIDE, "content": "a", "prompt": "b"}), "content", None),
]


def check_fields(server):
    for (path, body), param, code in FIELDS:
        refused(server.post(path, body), 400, param, code)
    # Each API has its own form.
    said = {}
    for path, status, body in (("/v1/messages", 400, {"messages": []}), ("/v1/messages", 404, {
            "model": "nobody", "messages": [{"role": "user", "content": "x"}]}), ("/api/chat", 400, {"messages": []}),
                               ("/api/show", 404, {"model": "nobody"}), ("/api/show/", 400, {})):
        reply = server.post(path, body)
        expect(reply.status == status, f"{path}: status {reply.status} in place of {status}: {reply.body[:300]!r}")
        said[path, status] = reply.json()
    expect(said["/v1/messages", 400]["error"]["type"] == "invalid_request_error", f"{said}")
    expect(said["/v1/messages", 404] == {"type": "error", "error": {
        "type": "not_found_error", "message": "There is no model 'nobody'."}}, f"{said}")
    expect(said["/api/show", 404] == {"error": "There is no model 'nobody'."}, f"{said}")
    expect(isinstance(server.get("/api/chat").json()["error"], str), "an error of a method has another form")
    # Also where a stream was asked for: it has not begun.
    refused(server.post(*chat_with(stream=True, temprature=1)), 400, "temprature")
    for path in ("/v1/chat/completions", "/v1/embeddings", "/tokenize"):
        body = {"model": "nobody's", "messages": [{"role": "user", "content": "x"}]} if "chat" in path else {
            "model": "nobody's", "input" if "emb" in path else "content": "x"}
        refused(server.post(path, body), 404, "model", "model_not_found")
    message = refused(server.post(*chat_with(messages=[{"role": "user", "content": LONG}])), 400, None,
                      "context_length_exceeded")
    expect(any(letter.isdigit() for letter in message), f"it does not say how long: {message}")
    # What the engine finds out, too, is the fault of who asks.
    refused(server.post(*chat_with(grammar="root ::= (")), 400)
    refused(
        server.post(*chat_with(
            response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "colour"}}})), 400)


def check_long(server):
    """A text of megabytes is refused at once where it cannot fit, and holds up nobody's answer."""
    text = "x" * 7_000_000
    for path, fields in (("/v1/chat/completions", {"messages": [{"role": "user", "content": text}]}),
                         ("/v1/completions", {"prompt": text})):
        began = time.monotonic()
        refused(server.post(path, {"model": GUIDE, **fields}), 400, None, "context_length_exceeded")
        expect(time.monotonic() - began < LONG_SECONDS, f"{path} refuses it after {time.monotonic() - began:.1f} s")
    written = server.chat_stream(grammar="root ::= [a-z ]{400}")
    next(written)
    refused(server.post("/tokenize", {"model": GUIDE, "content": text}), 400, "content")
    asked = Background(server.post, "/tokenize", {"model": GUIDE, "content": text[:1 << 20]})
    longest, last = 0, time.monotonic()
    for _ in written:
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    expect(longest < LONG_SECONDS, f"an answer waited for {longest:.1f} s")
    expect_ok(asked.result())


def check_library(bin_dir, folder):
    """What another program adds is there at once; what a model is for is what its file can do."""
    embedder = embedding_model(bin_dir, folder)
    write_library(folder, {})
    with Server(bin_dir, folder, library=True, arguments=["--max-answers", "2"]) as server:
        expect(expect_ok(server.get("/v1/models"))["data"] == [], "an empty library has models")
        refused(server.post("/v1/chat/completions", chat_body()), 404, "model", "model_not_found")
        # Where one model is served, every name means it.
        write_library(folder, {GUIDE: (guide_path(bin_dir), False)})
        named = expect_ok(server.post("/v1/chat/completions", chat_body(model="gpt-4o")))["model"]
        expect(named == GUIDE, f"the model is {named}")
        write_library(folder, {GUIDE: (guide_path(bin_dir), False), "wrong": (embedder, False)})
        expect(text_of(server.chat()), "a model that was added is not found")
        write_library(folder,
                      {GUIDE: (guide_path(bin_dir), False), "wrong": (embedder, False), "letters": (embedder, True)})
        models = {each["id"]: each["type"] for each in expect_ok(server.get("/v1/models"))["data"]}
        expect(models == {GUIDE: "llm", "wrong": "llm", "letters": "embeddings"}, f"{models}")
        for name in ("letters", "wrong"):
            message = refused(server.post("/v1/chat/completions", chat_body(model=name)), 400, "model",
                              "model_not_suited")
            expect("compares texts" in message and str(folder) not in message, message)
        expect(text_of(server.chat()), "nothing goes on")
        message = refused(server.post("/v1/rerank", {"model": "letters", "query": "x", "documents": ["x"]}), 400)
        expect(message == "'letters': the model embeds texts and scores no pairs.", message)
        server.stop()


def check_bodies(server):
    for body in (b"", b"{", b"[]", b"null", b'"text"', b"{'model': 1}", b'{"model": "\xff"}', b'{"a":1}{"b":2}', b"\0",
                 b"[" * 100_000, b'{"a":' * 1000 + b"1" + b"}" * 1000,
                 b"{" + b",".join(b'"%d":1' % i for i in range(30_000)) + b"}", b'{"model":1e999}'):
        reply = server.post("/v1/chat/completions", body)
        expect(reply.status == 400, f"status {reply.status} for {body[:40]!r}")
        jsonschema.validate(reply.json(), ERROR)
    refused(server.get("/nowhere"), 404, None, "unknown_url")
    refused(server.get("/v1/models/../../etc/passwd"), 404, "model", "model_not_found")
    refused(server.get("/v1/chat/completions"), 405, None, "method_not_allowed")
    reply = server.ask("DELETE", "/v1/models")
    refused(reply, 405, None, "method_not_allowed")
    expect(reply.headers["allow"] == "GET, HEAD", f"it allows {reply.headers['allow']}")
    big = json.dumps(chat_body("x" * BODY_LIMIT)).encode()
    with contextlib.closing(server.raw()) as connection:
        connection.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" %
                           len(big) + big)
        expect(b" 413 " in connection.recv(4096).partition(b"\r\n")[0],
               "the refusal is not read by who sends to the end")
    with contextlib.closing(server.raw()) as connection:
        connection.sendall(
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        for at in range(0, len(big), 1 << 16):
            part = big[at:at + (1 << 16)]
            connection.sendall(b"%x\r\n%b\r\n" % (len(part), part))
        connection.sendall(b"0\r\n\r\n")
        expect(b" 413 " in connection.recv(4096).partition(b"\r\n")[0],
               "a body that does not say its length is not measured")


def check_hosts_and_origins(server):
    """A page of elsewhere, or one whose name was made to lead here, gets nothing."""
    def asked(headers, method="GET", path="/v1/models"):
        return server.ask(method, path, None, headers)

    for host in ("localhost", f"localhost:{server.port}", "127.0.0.1", "[::1]:80", "LOCALHOST", "models.example",
                 "MODELS.Example:80"):
        expect(asked({"Host": host}).status == 200, f"{host} is refused")
    for host in ("evil.example", f"evil.example:{server.port}", "localhost.evil.example", "127.0.0.1.evil.example", "",
                 "169.254.1.1", "localhost:1@evil.example", "[::1]:x"):
        refused(asked({"Host": host}), 403, None, "host_not_allowed")
    for origin in ("https://evil.example", "null", "http://localhost:1", f"http://evil.example:{server.port}"):
        reply = asked({"Origin": origin})
        refused(reply, 403, None, "origin_not_allowed")
        expect("access-control-allow-origin" not in reply.headers, "the page may read the refusal")
        refused(server.post("/v1/chat/completions", chat_body(), {"Origin": origin}), 403, None, "origin_not_allowed")
        refused(asked({"Origin": origin}, "OPTIONS"), 403, None, "origin_not_allowed")
    own = asked({"Origin": f"http://127.0.0.1:{server.port}"})
    expect(own.status == 200, "its own page is refused")
    allowed = asked({"Origin": "https://site.example"})
    expect(allowed.status == 200 and allowed.headers["access-control-allow-origin"] == "https://site.example",
           "the site is refused")
    before = asked({"Origin": "https://site.example"}, "OPTIONS", "/v1/chat/completions")
    expect(before.status == 204 and "Authorization" in before.headers["access-control-allow-headers"],
           "its pages may not ask first")
    # No other computer sees the socket: the name under which it is asked says nothing.
    expect(
        server.ask("GET", "/v1/models", None, {"Host": "anything"}, on_socket=True).status == 200,
        "the socket looks at names")
    refused(server.ask("GET", "/v1/models", None, {"Origin": "https://evil.example"}, on_socket=True), 403, None,
            "origin_not_allowed")


def check_key(bin_dir, folder):
    with Server(bin_dir, folder, key=KEY) as server:
        expect_ok(server.get("/v1/models"))
        for given in ("", f"Bearer {KEY}x", f"Bearer {KEY[:-1]}", "Bearer", f"Basic {KEY}", KEY,
                      f"Bearer {KEY.upper()}"):
            for method, path in (("GET", "/v1/models"), ("POST", "/v1/chat/completions"), ("GET", "/metrics"),
                                 ("GET", "/nowhere")):
                reply = server.ask(method, path, chat_body() if method == "POST" else None, {"Authorization": given})
                refused(reply, 401, None, "invalid_api_key")
                expect(reply.headers["www-authenticate"] == "Bearer" and KEY.encode() not in reply.body,
                       "the refusal is not one")
        refused(server.ask("GET", "/v1/models", None, {"Authorization": ""}, on_socket=True), 401, None,
                "invalid_api_key")
        for path in ("/", "/health"):
            expect(server.get(path, {"Authorization": ""}).status == 200, f"{path} needs a key")
        expect(server.get("/v1/models", {"Authorization": f"bearer {KEY}"}).status == 200, "the scheme's letters count")
        server.stop()
        expect(KEY not in (server.folder / "serve.log").read_text(), "the key is in the log")


def fails_to_start(bin_dir, folder, words, *arguments):
    arguments = arguments if "--socket" in arguments else ("--socket", folder / "other.sock", *arguments)
    run = subprocess.run([bin_dir / "ingle-serve", guide_path(bin_dir), "--data-dir", folder, *arguments],
                         capture_output=True, text=True, timeout=60, check=False)
    expect(run.returncode == 1 and words in run.stderr and run.stderr.count("\n") == 1,
           f"{arguments}: {run.returncode}, {run.stderr!r}")


def check_start(bin_dir, folder, server):
    """What would open more than was meant does not start."""
    key = folder / "open-key"
    key.write_text(KEY)
    key.chmod(0o644)
    fails_to_start(bin_dir, folder, "chmod 600", "--key-file", key)
    key.chmod(0o600)
    key.write_text("short\n")
    fails_to_start(bin_dir, folder, "16 characters", "--key-file", key)
    fails_to_start(bin_dir, folder, "--key-file", "--listen", "0.0.0.0:0")
    fails_to_start(bin_dir, folder, "--key-file", "--listen", "[::]:0")
    fails_to_start(bin_dir, folder, "no port", "--listen", "localhost")
    fails_to_start(bin_dir, folder, "in use", "--listen", str(server.port))
    fails_to_start(bin_dir, folder, "Another program listens", "--socket", server.socket_path)
    (folder / "file").write_text("mine")
    fails_to_start(bin_dir, folder, "something else than a socket", "--socket", folder / "file")
    expect((folder / "file").read_text() == "mine", "a file was taken for a socket")
    fails_to_start(bin_dir, folder, "no such file", folder / "nothing.gguf")


def check_queue(bin_dir, folder):
    """More answers than are allowed are sent away with a time; those that take too long, and those of clients that
    have gone, end."""
    with Server(bin_dir, folder, pace_ms=20, arguments=["--max-answers", "1", "--timeout", str(TIME_LIMIT)]) as server:
        slow = {"grammar": "root ::= [a-z]{60}"}
        first = Background(server.chat, **slow)
        while server.metrics()["ingle_answers_under_way"] < 1:
            expect(not first.is_done(), f"it has ended: {first.is_done() and first.result()}")
        reply = server.post("/v1/chat/completions", chat_body())
        refused(reply, 429, None, "queue_full")
        expect(1 <= int(reply.headers["retry-after"]) <= 60, "no time to come back")
        refused(server.post("/v1/chat/completions", chat_body(n=2)), 400, "n")  # no time helps
        expect(server.get("/health").status == 200, "not well while it is at work")
        expect(len(text_of(first.result())) == 60, "the first did not end")
        expect(text_of(server.chat()), "no room when it has ended")
        # Too long: told as an error where nothing was said yet, else as the stream's last event.
        endless = {"grammar": "root ::= [a-z]{4000}"}
        began = time.monotonic()
        refused(server.post("/v1/chat/completions", chat_body(**endless)), 504, None, "timeout")
        expect(TIME_LIMIT - 0.5 < time.monotonic() - began < TIME_LIMIT + 30, f"not after {TIME_LIMIT} seconds")
        check_late_stream(server, endless)
        check_gone(server, endless)
        server.stop()


def check_late_stream(server, endless):
    with contextlib.closing(server.connect()) as connection:
        connection.request("POST", "/v1/chat/completions", json.dumps(chat_body(stream=True, **endless)))
        told = connection.getresponse().read().decode()
    last = told.rstrip("\n").split("\n\n")[-1]
    expect(
        json.loads(last.removeprefix("data: "))["error"]["code"] == "timeout" and "[DONE]" not in told,
        f"a stream that took too long ends with {last!r}")


def check_gone(server, endless):
    """Who closes, shuts down or resets the connection, streamed or not, has nothing computed for longer."""
    for is_streamed in (True, False):
        for how in ("close", "reset", "shut down"):
            connection = server.raw()
            body = json.dumps(chat_body(stream=is_streamed, **endless)).encode()
            connection.sendall(
                b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%b" %
                (len(body), body))
            if is_streamed:
                connection.recv(1)
            while server.metrics()["ingle_answers_under_way"] != 1:
                time.sleep(0.01)
            if how == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            if how == "shut down":
                connection.shutdown(socket.SHUT_WR)
            else:
                connection.close()
            server.wait_until_idle(TIME_LIMIT - 1)
            connection.close()
    stream = server.chat_stream(**endless)
    expect(joined([next(stream) for _ in range(4)]), "no beginning")
    stream.close()
    server.wait_until_idle(TIME_LIMIT - 1)
    expect(text_of(server.chat(QUESTION)), "nothing goes on behind those that went")


def check(bin_dir, folder, server):
    check_fields(server)
    check_long(server)
    check_bodies(server)
    check_hosts_and_origins(server)
    check_start(bin_dir, folder, server)
