#!/usr/bin/env python3
"""`ingle-bridge` and its far server over TLS and through proxies: whom it trusts, where it goes, and who gets to see
the key."""
import argparse
import contextlib
import http.server
import json
import os
import pathlib
import re
import select
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

from driver import Failure, expect, wait_until
from serve_driver import GUIDE, QUESTION, Server

KEY = "sk-nobody-else-sees-this"
ENDS = ("hello", "recognised", "loaded", "done", "failed")
MODELS = json.dumps({"data": [{"id": "small"}]}).encode()


class Certificates:
    """An authority of its own in `folder`, and certificates of a host from it."""

    def __init__(self, folder):
        self._folder = folder
        self.authority = folder / "authority.pem"
        self._openssl("req", "-x509", "-days", "2", "-subj", "/CN=Authority of a test", *self._new_key("authority"),
                      "-out", self.authority)

    def of(self, host, days=2):
        path = self._folder / f"{host}{days}"
        self._openssl("req", "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}", *self._new_key(path.name),
                      "-out", f"{path}.csr")
        self._openssl("x509", "-req", "-in", f"{path}.csr", "-CA", self.authority,
                      "-CAkey", self._folder / "authority.key", "-CAcreateserial", "-copy_extensions", "copy", "-days",
                      str(days), "-out", f"{path}.pem")
        return f"{path}.pem", f"{path}.key"

    def _new_key(self, name):
        return "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", self._folder / f"{name}.key"

    @staticmethod
    def _openssl(*words):
        answer = subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True, check=False)
        expect(answer.returncode == 0, f"openssl: {answer.stderr}")


class Far:
    """A far server on 127.0.0.1 that offers one model, or sends whoever asks elsewhere."""

    def __init__(self, certificate=None, location=None):
        far = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                far.asked.append((self.path, dict(self.headers)))
                self.send_response(302 if location else 200)
                if location:
                    self.send_header("Location", location)
                self.send_header("Content-Length", str(len(MODELS)))
                self.end_headers()
                self.wfile.write(MODELS)

            def log_message(self, *_):
                pass

        self.asked = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *_: None  # a client that does not trust it goes
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self._server.socket = context.wrap_socket(self._server.socket,
                                                      server_side=True,
                                                      do_handshake_on_connect=False)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


class Proxy:
    """Leads every host to the port of `far`; a refusing one leads nowhere. Keeps what it was told before it leads."""

    def __init__(self, far, refuses=False):
        self._far, self._refuses = far, refuses
        self.heads = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=(self._listening.accept()[0],), daemon=True).start()

    def _serve(self, client):
        with client, contextlib.suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                head += client.recv(65536)
            self.heads.append(head.decode())
            if self._refuses:
                client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
                return
            with socket.create_connection(("127.0.0.1", self._far.port)) as far:
                if head.startswith(b"CONNECT "):
                    client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
                else:
                    far.sendall(head)
                self._lead(client, far)

    @staticmethod
    def _lead(client, far):
        while True:
            for source in select.select([client, far], [], [])[0]:
                data = source.recv(65536)
                if not data:
                    return
                (far if source is client else client).sendall(data)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listening.close()


class Bridge:
    """The program, of a person who has nothing but the variables named."""

    def __init__(self, binary, folder, url, *options, **variables):
        self.socket = folder / "bridge.sock"
        self.log = folder / "log"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [binary, "--url", url, "--socket", self.socket, "--key-file", folder / "key", *options],
                env={"HOME": str(folder), **variables},
                stdout=log,
                stderr=log)
        wait_until(self._is_there, "the bridge to listen")

    def _is_there(self):
        expect(self.process.poll() is None, f"the bridge ended: {self.log.read_text(encoding='utf-8')}")
        with socket.socket(socket.AF_UNIX) as client:  # the socket is there a moment before it can be reached
            return client.connect_ex(str(self.socket)) == 0

    def asked(self, *requests):
        """The events that answer these requests of the host protocol, one after another."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(60)
            client.connect(str(self.socket))
            with client.makefile(encoding="utf-8") as lines:
                for number, request in enumerate(({"op": "hello", "version": 3}, *requests), 1):
                    client.sendall(json.dumps({"id": number, **request}).encode() + b"\n")
                    event = {}
                    while event.get("event") not in ENDS:
                        event = json.loads(lines.readline())
                        yield event

    def asked_for_models(self):
        """The names of the models that it offers, or the sentence that says why there are none."""
        _, event = self.asked({"op": "recognise", "paths": ["bridge:"]})
        return event["error"]["message"] if event["event"] == "failed" else [thing["path"] for thing in event["things"]]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        log = self.log.read_text(encoding="utf-8")
        expect(KEY not in log and log.count("\n") == 1, f"the bridge has written {log}")


def answered(options, folder, url, *words, **variables):
    with Bridge(options.bin / "ingle-bridge", folder, url, *words, **variables) as bridge:
        return bridge.asked_for_models()


def expect_models(said):
    expect(said == ["bridge:small"], f"no models were offered: {said}")


def expect_mistrust(said, far, because):
    host = f"localhost:{far.port}"
    expect(
        re.fullmatch(rf"{host} does not prove that it is what it is called, so nothing was sent: .*{because}.*\.",
                     said), f"it said: {said}")
    expect(not far.asked, "a server that is not trusted was asked")


def trust(options, folder, certificates):
    authority = str(certificates.authority)
    with Far(certificates.of("localhost")) as far:
        url = f"https://localhost:{far.port}/v1"
        expect_mistrust(answered(options, folder, url), far, "unable to get local issuer certificate")
        expect_models(answered(options, folder, url, SSL_CERT_FILE=authority))
        expect(far.asked[0][1]["Authorization"] == f"Bearer {KEY}", "the key did not arrive")
        said = answered(options, folder, url, SSL_CERT_FILE=str(folder / "none.pem"))
        expect(said.startswith(f"localhost:{far.port} cannot be reached: ") and "none.pem" in said, f"it said: {said}")
    with Far(certificates.of("elsewhere.example")) as far:
        said = answered(options, folder, f"https://localhost:{far.port}/v1", SSL_CERT_FILE=authority)
        expect_mistrust(said, far, "no alternative certificate subject name matches")
    with Far(certificates.of("localhost", days=-1)) as far:
        said = answered(options, folder, f"https://localhost:{far.port}/v1", SSL_CERT_FILE=authority)
        expect_mistrust(said, far, "certificate has expired")
    with Far() as far:  # which does not speak TLS at all
        said = answered(options, folder, f"https://localhost:{far.port}/v1")
        expect(said.startswith(f"localhost:{far.port} cannot be reached: "), f"it said: {said}")


def proxies(options, folder, certificates):
    authority = str(certificates.authority)
    with Far(certificates.of("far.example")) as far, Proxy(far) as proxy:
        url = "https://far.example/v1"
        expect_models(answered(options, folder, url, SSL_CERT_FILE=authority, https_proxy=proxy.url))
        expect(proxy.heads[0].startswith("CONNECT far.example:443 "), f"the proxy was told {proxy.heads}")
        expect(KEY not in "".join(proxy.heads), "the proxy was told the key")
        expect(far.asked[0][1]["Authorization"] == f"Bearer {KEY}", "the key did not arrive")
        before = len(proxy.heads)
        said = answered(options, folder, url, SSL_CERT_FILE=authority, https_proxy=proxy.url, no_proxy="far.example")
        expect(
            said.startswith("far.example cannot be reached: ") and len(proxy.heads) == before, f"past no_proxy: {said}")
    with Far() as far, Proxy(far) as proxy:
        expect_models(answered(options, folder, "http://far.example/v1", "--insecure", http_proxy=proxy.url))
        expect(proxy.heads[0].startswith("GET http://far.example/v1/models "), f"the proxy was told {proxy.heads}")
        before = len(proxy.heads)
        expect_models(
            answered(options, folder, f"http://localhost:{far.port}/v1", http_proxy=proxy.url, all_proxy=proxy.url))
        expect(len(proxy.heads) == before, "a proxy was asked for this computer itself")
        with Proxy(far, refuses=True) as refusing:
            said = answered(options, folder, "https://far.example/v1", https_proxy=refusing.url)
            expect(said.startswith("far.example cannot be reached: ") and "403" in said, f"it said: {said}")


def secrets(options, folder, _):
    with Far() as elsewhere, Far(location=f"http://127.0.0.1:{elsewhere.port}/v1/models") as far:
        with Bridge(options.bin / "ingle-bridge", folder, f"http://localhost:{far.port}/v1") as bridge:
            said = bridge.asked_for_models()
            expect("sends this program elsewhere, where it does not go (302)" in said, f"it said: {said}")
            expect(far.asked and not elsewhere.asked, "a redirection was followed")
            process = pathlib.Path(f"/proc/{bridge.process.pid}")
            for place in ("cmdline", "environ"):
                expect(KEY.encode() not in (process / place).read_bytes(), f"the key is in {place}")
            limits = (process / "limits").read_text(encoding="utf-8")
            expect(re.search(r"Max core file size +0 +0 ", limits), "a crash would leave the key in a core")


def engine(options, folder, _):
    """Another engine of Inglenook behind it: all of the sampler arrives, and the answer is that engine's."""
    sampler = {"topK": 0, "typicalP": 0.9, "minP": 0.1, "repeatPenalty": 1.25, "seed": 7}
    request = {
        "messages": [{"role": "user", "parts": [{"kind": "text", "text": QUESTION}]}], "sampler": sampler,
        "maxTokens": 40
    }
    with Server(options.bin, folder, key=KEY) as server:
        alone = server.chat(temperature=0.7,
                            top_p=0.95,
                            top_k=0,
                            typical_p=0.9,
                            min_p=0.1,
                            repetition_penalty=1.25,
                            seed=7,
                            max_tokens=40)
        with Bridge(options.bin / "ingle-bridge", folder, f"{server.url}/v1") as bridge:
            events = list(
                bridge.asked({"op": "load", "path": f"bridge:{GUIDE}"}, {"op": "generate", "request": request}))
    said = "".join(piece["text"] for event in events if event["event"] == "tokens" for piece in event["pieces"])
    expect(said == alone["choices"][0]["message"]["content"], f"through the bridge it said {said!r}, by itself {alone}")
    plan, = (event["plan"] for event in events if event["event"] == "plan")
    expect(not plan["note"], f"the plan says: {plan['note']}")
    counted = events[-1]["result"]["stats"]
    expect([counted["promptTokens"],
            counted["newTokens"]] == [alone["usage"]["prompt_tokens"], alone["usage"]["completion_tokens"]],
           f"{counted} is not {alone['usage']}")


CHECKS = (trust, proxies, secrets, engine)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ingle-bridge-e2e-"))
    (folder / "key").write_text(KEY + "\n", encoding="utf-8")
    os.chmod(folder / "key", 0o600)
    certificates = Certificates(folder)
    for check in CHECKS:
        try:
            check(options, folder, certificates)
        except Failure as failure:
            sys.exit(f"FAILED: {check.__name__}: {failure} (see {folder})")
        print(check.__name__, flush=True)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
