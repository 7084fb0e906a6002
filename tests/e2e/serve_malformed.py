"""Requests that are none: whatever is sent, the answer is HTTP, comes soon, and neither the server nor its engine
ends."""
import argparse
import contextlib
import json
import pathlib
import random
import re
import socket
import threading
import time

from driver import expect, expect_failure
from serve_driver import GUIDE, Server, ask, chat_body, embedding_model, guide_path, new_folder, text_of

THREADS = 8
# From the last byte that is sent to the last that comes.
HANG_SECONDS = 60
PATHS = [
    "/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/models", "/tokenize", "/health", "/metrics", "/",
    "/nowhere"
]
ODD = [
    None, True, 0, -1, 1.5, 1e308, -1e400, 2**63, 2**64, 10**40, "", "\0", "\ud800", "x" * 5000, "ü😀", [], [[]], [None],
    {}, {"": {}}, {"a": [1, {"b": None}]}
]
NUMBERS = [
    b"0", b"-1", b"+5", b"5 5", b"5,5", b"0x10", b"99999999999999999999999", b"18446744073709551616",
    b"9223372036854775807", b"", b"\xff", b"5;x=1"
]
FORMS = [{"type": "json_object"}, {
    "type": "json_schema", "json_schema": {"name": "x", "schema": {"type": ["string", "null"], "pattern": "^(a|b)*$"}}
}]
FIELDS = [
    "model", "messages", "temperature", "top_p", "n", "seed", "stop", "stream", "stream_options", "logit_bias", "tools",
    "tool_choice", "response_format", "logprobs", "top_logprobs", "max_tokens", "max_completion_tokens", "user",
    "grammar", "chat_template_kwargs", "continue_final_message", "prompt", "input", "content", "encoding_format",
    "nonsense"
]


def head(method=b"POST", path=b"/v1/chat/completions", *lines):
    return b"%b %b HTTP/1.1\r\nHost: localhost\r\n%b\r\n" % (method, path, b"".join(line + b"\r\n" for line in lines))


def post(path, body):
    return head(b"POST", path, b"Content-Type: application/json", b"Content-Length: %d" % len(body)) + body


def valid_body(source):
    body = chat_body("Hello", max_tokens=1)
    if source.random() < 0.3:
        body["stream"] = True
    if source.random() < 0.2:
        body["response_format"] = source.choice(FORMS)
    return body


def noise(source, most):
    return source.randbytes(source.randint(1, most))


def bad_line(source):
    path = source.choice(PATHS).encode()
    return source.choice([
        lambda: b"GET\r\n\r\n",
        lambda: b"GET %b\r\n\r\n" % path,
        lambda: b"GET %b HTTP/9.9\r\n\r\n" % path,
        lambda: b"GET  %b  HTTP/1.1\r\n\r\n" % path,
        lambda: b"get %b HTTP/1.1\r\nHost: localhost\r\n\r\n" % path,
        lambda: b"GET http://localhost%b HTTP/1.1\r\nHost: localhost\r\n\r\n" % path,
        lambda: b"GET /%b HTTP/1.1\r\nHost: localhost\r\n\r\n" % (b"a" * source.choice([100, 8000, 32_000, 70_000])),
        lambda: b"GET %b?%%00%%zz%%=&&=%b HTTP/1.1\r\nHost: localhost\r\n\r\n" % (path, b"&a" * 500),
        lambda: b"GET /%2e%2e/%00%ff/..%2f HTTP/1.1\r\nHost: localhost\r\n\r\n",
        lambda: b"GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        lambda: noise(source, 60) + b" / HTTP/1.1\r\n\r\n",
        lambda: b"\r\n" * source.randint(1, 200),
        lambda: b"GET %b HTTP/1.0\r\n\r\n" % path,
        lambda: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        lambda: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + noise(source, 300),
        lambda: b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        lambda: b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
        lambda: b"GET %b HTTP/1.1\nHost: localhost\n\n" % path,
        lambda: b"GET %b HTTP/1.1\r\n\r\n" % path,
    ])()


def bad_headers(source):
    body = json.dumps(valid_body(source)).encode()
    return source.choice([
        lambda: head(b"GET", b"/health", b"X: " + b"x" * source.choice([1000, 30_000, 40_000, 200_000])),
        lambda: head(b"GET", b"/health", *[b"X%d: y" % number for number in range(source.choice([100, 1000, 3000]))]),
        lambda: head(b"GET", b"/health", b"no colon"),
        lambda: head(b"GET", b"/health", b": no name"),
        lambda: head(b"GET", b"/health", b"X: a\r\n folded"),
        lambda: head(b"GET", b"/health", b"X: \0"),
        lambda: head(b"GET", b"/health", b"X\0: y"),
        lambda: head(b"GET", b"/health", b"X: " + noise(source, 200)),
        lambda: head(b"GET", b"/health",
                     noise(source, 100) + b": y"),
        lambda: head(b"GET", b"/health", b"Host: evil.example"),
        lambda: head(b"POST", b"/v1/chat/completions", b"Content-Length: " + source.choice(NUMBERS)) + body,
        lambda: head(b"POST", b"/v1/chat/completions", b"Content-Length: 5", b"Content-Length: %d" % len(body)) + body,
        lambda: head(b"POST", b"/v1/chat/completions", b"Content-Length: %d" % len(body), b"Transfer-Encoding: chunked")
        + body,
        lambda: head(b"POST", b"/v1/chat/completions", b"Transfer-Encoding: gzip, chunked") + body,
        lambda: head(b"POST", b"/v1/chat/completions", b"Content-Length : %d" % len(body)) + body,
        lambda: head(
            b"POST", b"/v1/chat/completions",
            source.choice([b"Content-Length:\r\n 5", b"X: a\rContent-Length: 5", b"Transfer-Encoding:\r\n\tchunked"])
        ) + body,
        lambda: head(b"POST", b"/v1/chat/completions", b"Transfer-Encoding: identity") + body,
        lambda: head(b"POST", b"/v1/chat/completions", b"Expect: 100-continue", b"Content-Length: %d" % len(body)
                    ) + body,
        lambda: head(b"POST", b"/v1/chat/completions", b"Expect: 200-ok", b"Content-Length: %d" % len(body)) + body,
        lambda: head(b"POST", b"/v1/chat/completions", b"Content-Encoding: gzip", b"Content-Length: %d" % len(body)
                    ) + body,
        lambda: head(b"GET", b"/health", b"Content-Length: 10") + b"0123456789",
        lambda: head(b"GET", b"/v1/models", b"Upgrade: websocket", b"Connection: Upgrade"),
        lambda: head(b"GET", b"/v1/models", b"Authorization: Bearer " + b"k" * source.choice([0, 10, 20_000])),
        lambda: head(b"GET", b"/v1/models", b"Range: bytes=0-,5-1", b"If-None-Match: *"),
    ])()


def bad_chunks(source):
    body = json.dumps(valid_body(source)).encode()
    sizes = [
        b"zz", b"-1", b"0x5", b"ffffffffffffffff", b"fffffffffffffffff", b"7fffffffffffffff", b"5;a=b",
        b"5;" + b"x" * 50_000, b"", b" 5", b"\0", b"1" * 5000,
        b"%x" % len(body),
        b"%X" % (len(body) + 1), b"0"
    ]
    parts = b"".join(b"%b\r\n%b%b" %
                     (source.choice(sizes), body[:source.randint(0, len(body))], source.choice([b"\r\n", b"\n", b""]))
                     for _ in range(source.randint(1, 4)))
    if source.random() < 0.3:  # one byte a chunk is allowed
        parts = b"".join(b"1\r\n%c\r\n" % byte for byte in body)
    end = source.choice(
        [b"0\r\n\r\n", b"0\r\n", b"", b"0\r\nX: y\r\n\r\n", b"0\r\n" + b"T: x\r\n" * 2000 + b"\r\n", b"00000\r\n\r\n"])
    return head(b"POST", source.choice(PATHS).encode(), b"Transfer-Encoding: chunked") + parts + end


def bad_bytes(source):
    """JSON that has lost, gained or changed bytes."""
    data = bytearray(json.dumps(valid_body(source)).encode())
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(data))
        change = source.randrange(5)
        if change == 0:
            data[at] = source.randrange(256)
        elif change == 1:
            del data[at:at + source.randint(1, 8)]
        elif change == 2:
            data[at:at] = source.choice([
                b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\0", b"\\u0000", b"\\ud800", b"[[[", b'"', b"\\", b"1e999",
                b"//", b"\xef\xbb\xbf"
            ])
        elif change == 3:
            data[at:at] = data[at:at + 40]
        else:
            data = data[:at] or data
        if not data:
            data = bytearray(b"{")
    return post(source.choice(PATHS[:5]).encode(), bytes(data))


def big_json(source):
    deep, many = source.choice([10, 63, 64, 65, 1000, 200_000]), source.choice([100, 19_000, 21_000, 100_000])
    return post(
        b"/v1/chat/completions",
        source.choice([
            lambda: b"[" * deep,
            lambda: b'{"a":' * deep + b"1" + b"}" * deep,
            lambda: b"[" * deep + b"]" * deep,
            lambda: b'{"messages":' + b"[" * deep + b"]" * deep + b"}",
            lambda: b"{" + b",".join(b'"k%d":0' % number for number in range(many)) + b"}",
            lambda: b"{" + b",".join([b'"same":0'] * many) + b"}",
            lambda: b'{"model":"' + b"x" * many + b'"}',
            lambda: b'{"stop":[' + b",".join([b'"x"'] * many) + b"]}",
            lambda: json.dumps(
                chat_body(messages=[{"role": "user", "content": "x"}] * source.choice([4096, 4097]), max_tokens=1)).
            encode(),
            lambda: json.dumps(
                chat_body(tools=[{"type": "function", "function": {"name": "f"}}] * source.choice([128, 129]),
                          max_tokens=1)).encode(),
            lambda: json.dumps(
                chat_body(logit_bias={str(number): 1
                                      for number in range(source.choice([1024, 1025]))}, max_tokens=1)).encode(),
        ])())


def odd_fields(source):
    """JSON that is sound, of values that are not."""
    body = valid_body(source)
    for _ in range(source.randint(1, 3)):
        body[source.choice(FIELDS)] = source.choice(ODD)
    if source.random() < 0.3:
        body["messages"] = [{
            "role": source.choice(["user", "assistant", "tool", "system", 5]),
            source.choice(["content", "tool_calls", "name"]): source.choice(ODD)
        } for _ in range(source.randint(1, 3))]
    if source.random() < 0.1:
        body["grammar"] = "root ::= " + "".join(source.choices('("a"|[b-c])*+?{1,3} \\\n::=', k=source.randint(1, 60)))
    body.setdefault("max_tokens", 1)
    return post(source.choice(PATHS[:5]).encode(), json.dumps(body).encode())


def pipelined(source):
    parts = [
        source.choice([
            lambda: head(b"GET",
                         source.choice(PATHS).encode()),
            lambda: post(b"/tokenize",
                         json.dumps({"model": GUIDE, "content": "x"}).encode()), lambda: odd_fields(source),
            lambda: post(b"/v1/chat/completions", b"{")
        ])() for _ in range(source.randint(2, 20))
    ]
    if source.random() < 0.3:
        parts.insert(source.randrange(len(parts)), source.choice(KINDS[:4])(source))
    return b"".join(parts)


def truncated(source):
    whole = source.choice([odd_fields, lambda s: post(b"/v1/chat/completions",
                                                      json.dumps(valid_body(s)).encode())])(source)
    return whole[:source.randrange(len(whole))] or b"P"


def only_noise(source):
    return noise(source, source.choice([10, 1000, 60_000]))


KINDS = [bad_line, bad_headers, bad_chunks, bad_bytes, big_json, odd_fields, pipelined, truncated, only_noise]


def check_http(said):
    """What came are answers of HTTP, one behind the other. The last one may be cut off, since who asked had said that
    it was done."""
    while said:
        top, blank, said = said.partition(b"\r\n\r\n")
        lines = top.split(b"\r\n")
        status = re.fullmatch(rb"HTTP/1\.[01] ([1-5]\d\d) [ -~]*", lines[0])
        expect(status, f"this is no answer of HTTP: {lines[0][:200]!r}")
        if not blank:
            return
        headers = {}
        for line in lines[1:]:
            expect(re.fullmatch(rb"[A-Za-z-]+: [ -~\x80-\xff]*", line), f"this is no header: {line[:200]!r}")
            name, _, value = line.partition(b": ")
            headers[name.lower()] = value
        if status[1][:1] == b"1" or status[1] == b"204":
            continue
        if headers.get(b"transfer-encoding") == b"chunked":
            said = _after_chunks(said)
        elif b"content-length" in headers:
            said = said[int(headers[b"content-length"]):]
        else:
            return


def _after_chunks(said):
    while said:
        line, end, said = said.partition(b"\r\n")
        if not end:
            return b""
        expect(re.fullmatch(rb"[0-9A-Fa-f]+", line), f"this is no chunk: {line[:100]!r}")
        size = int(line, 16)
        if size == 0:
            return said.removeprefix(b"\r\n")
        said = said[size:]
        expect(said[:2] in (b"\r\n", b"\r", b""), f"a chunk does not end: {said[:50]!r}")
        said = said[2:]
    return b""


def send(server, data, is_patient):
    """All that comes. Who is not patient says at once that nothing more follows."""
    said = b""
    with contextlib.closing(server.raw(HANG_SECONDS)) as connection:
        try:
            connection.sendall(data)
            if is_patient:
                # It may wait for more, as it should; until it has cut us off 30 seconds would pass.
                connection.settimeout(0.2)
                with contextlib.suppress(socket.timeout):
                    said += connection.recv(1 << 16)
                connection.settimeout(HANG_SECONDS)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(1 << 16):
                said += part
        except socket.timeout:
            expect(False, f"after {HANG_SECONDS} s neither an answer nor an end to {data[:300]!r}")
        except OSError:
            pass  # it need not read to its end what it has refused
    return said


def check(server, count, seed=1):
    for wrong in (b"hello", b"HTTP/1.1 200 OK\r\nno header\r\n\r\n",
                  b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc"):
        expect_failure(lambda data=wrong: check_http(data), f"{wrong!r} was taken for HTTP")
    expected = text_of(server.chat())
    host = server.host_pid()
    numbers, lock, failures, statuses = iter(range(count)), threading.Lock(), [], {}

    def work():
        while not failures:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            source = random.Random(seed * 1_000_003 + number)
            kind = source.choice(KINDS)
            try:
                said = send(server, kind(source), source.random() < 0.3)
                check_http(said)
                expect(b'"type":"server_error"' not in said, f"it blames itself: {said[-300:]!r}")
                with lock:
                    key = (kind.__name__, said[9:12].decode())
                    statuses[key] = statuses.get(key, 0) + 1
            except Exception as error:
                failures.append(f"request {number} of seed {seed} ({kind.__name__}): {error!r}")

    began = time.monotonic()
    threads = [threading.Thread(target=work, daemon=True) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not failures, "; ".join(failures[:3]))
    expect(server.is_running(), "the server has ended")
    server.wait_until_idle()
    expect(server.host_pid() == host, "the engine has ended")
    expect(text_of(server.chat()) == expected, "an ordinary request is answered otherwise")
    with contextlib.closing(server.connect()) as connection:
        expect(ask(connection, "GET", "/health").status == 200, "not well")
    seen = {status for _, status in statuses}
    expect({"400", "404", "405", "431", "200"} <= seen or count < 500, f"only {sorted(seen)} were seen")
    return f"{count} malformed requests in {time.monotonic() - began:.0f} s", statuses


def main():
    """For the long run, with programs that are built to end at every fault (`./dev soak`)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with new_folder() as folder:
        with Server(options.bin, folder, guide_path(options.bin), embedding_model(options.bin, folder)) as server:
            print(check(server, options.count, options.seed)[0])
            server.stop()
            log = (server.folder / "serve.log").read_text()
            expect("Sanitizer" not in log and "runtime error" not in log, log[-3000:])


if __name__ == "__main__":
    main()
