"""What each endpoint of ingle-serve answers where a request is in order."""
import base64
import json
import struct
import time

import jsonschema

from driver import expect, expect_failure
from serve_driver import GUIDE, QUESTION, Background, ask, chat_body, expect_ok, joined, prometheus, text_of

# What OpenAI's description says of an answer, as far as clients rely on it; nothing else may stand in it.
USAGE = {
    "type": "object", "additionalProperties": False,
    "required": ["prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details"], "properties": {
        **{
            name: {"type": "integer", "minimum": 0} for name in ("prompt_tokens", "completion_tokens", "total_tokens")
        }, "prompt_tokens_details": {"type": "object", "required": ["cached_tokens"]}
    }
}
CALL = {
    "type": "object", "additionalProperties": False, "required": ["id", "type", "function"], "properties": {
        "index": {"type": "integer"}, "id": {"type": "string", "minLength": 1}, "type": {"const": "function"},
        "function": {
            "type": "object", "required": ["name", "arguments"], "properties": {"arguments": {"type": "string"}}
        }
    }
}
REASON = {"enum": ["stop", "length", "tool_calls"]}
HEAD = {
    "id": {"type": "string", "minLength": 10}, "created": {"type": "integer", "minimum": 1_600_000_000},
    "model": {"type": "string"}
}
COMPLETION = {
    "type": "object", "additionalProperties": False,
    "required": ["id", "object", "created", "model", "choices", "usage"], "properties": {
        **HEAD, "object": {"const": "chat.completion"}, "usage": USAGE, "choices": {
            "type": "array", "minItems": 1, "items": {
                "type": "object", "additionalProperties": False,
                "required": ["index", "message", "logprobs", "finish_reason"], "properties": {
                    "index": {"type": "integer"}, "logprobs": {}, "finish_reason": REASON, "message": {
                        "type": "object", "required": ["role", "content"], "additionalProperties": False,
                        "properties": {
                            "role": {"const": "assistant"}, "content": {"type": ["string", "null"]},
                            "tool_calls": {"type": "array", "items": CALL}
                        }
                    }
                }
            }
        }
    }
}
CHUNK = {
    "type": "object", "additionalProperties": False, "required": ["id", "object", "created", "model", "choices"],
    "properties": {
        **HEAD, "object": {"const": "chat.completion.chunk"}, "usage": USAGE, "choices": {
            "type": "array", "items": {
                "type": "object", "additionalProperties": False, "required": ["index", "delta", "finish_reason"],
                "properties": {
                    "index": {"type": "integer"}, "logprobs": {},
                    "finish_reason": {"anyOf": [REASON, {"type": "null"}]}, "delta": {
                        "type": "object", "additionalProperties": False, "properties": {
                            "role": {"const": "assistant"}, "content": {"type": "string"}, "tool_calls": {
                                "type": "array", "items": {**CALL, "required": ["index", *CALL["required"]]}
                            }
                        }
                    }
                }
            }
        }
    }
}
PERSON = {
    "type": "object", "additionalProperties": False, "required": ["name", "age", "pets"], "properties": {
        "name": {"type": "string", "minLength": 2,
                 "maxLength": 12}, "age": {"type": "integer", "minimum": 0, "maximum": 120},
        "pets": {"type": "array", "maxItems": 2, "items": {"enum": ["cat", "dog"]}}
    }
}


def function(name, parameters):
    return {
        "type": "function", "function": {"name": name, "description": f"Tells the {name}.", "parameters": parameters}
    }


CITY = {
    "type": "object", "additionalProperties": False, "required": ["city"],
    "properties": {"city": {"type": "string", "maxLength": 12}}
}
ZONE = {
    "type": "object", "additionalProperties": False, "required": ["zone"],
    "properties": {"zone": {"enum": ["UTC", "CET"]}}
}
# Nothing is filtered: the guide is so sure of itself that it has little choice otherwise.
FREE = {"temperature": 2, "top_p": 1, "top_k": 0, "min_p": 0, "max_tokens": 16}
TOOLS = [function("weather", CITY), function("time", ZONE)]


def check_chat(server):
    answer = server.chat()
    jsonschema.validate(answer, COMPLETION)
    expect(answer["model"] == GUIDE and answer["id"].startswith("chatcmpl-"), "whose answer is it?")
    expect("window" in text_of(answer) and answer["choices"][0]["finish_reason"] == "stop",
           f"the guide says {text_of(answer)!r}")
    usage = answer["usage"]
    expect(usage["prompt_tokens"] > 0 and usage["completion_tokens"] > 0, "nothing was counted")
    expect(usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"], "the sum is wrong")
    # The same over the other socket, over one connection for several requests, and by its newer name for the limit.
    connection = server.connect(on_socket=True)
    for _ in range(2):
        again = expect_ok(ask(connection, "POST", "/v1/chat/completions", chat_body()))
        expect(text_of(again) == text_of(answer) and again["id"] != answer["id"], "the socket answers something else")
    expect(again["usage"]["prompt_tokens_details"]["cached_tokens"] > 0, "the prompt was read again")
    connection.close()
    short = server.chat(max_completion_tokens=3)
    expect(short["choices"][0]["finish_reason"] == "length" and short["usage"]["completion_tokens"] == 3,
           "the limit does not hold")
    expect(text_of(answer).startswith(text_of(short)), "a limit changes the text")
    parts = [{"type": "text", "text": QUESTION[:10]}, {"type": "text", "text": QUESTION[10:]}]
    expect(text_of(server.chat(parts)) == text_of(server.chat(QUESTION[:10] + "\n" + QUESTION[10:])),
           "parts are not lines of one text")
    check_continuation(server, answer)


def check_continuation(server, answer):
    """The beginning that somebody wrote is counted with the prompt; limits speak of what is new."""
    beginning = text_of(answer).partition(" anywhere")[0]
    fields = {
        "messages": [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": beginning}],
        "continue_final_message": True
    }
    goes_on = server.chat(**fields, add_generation_prompt=False)
    expect(text_of(answer).endswith(text_of(goes_on)) and text_of(goes_on), f"it goes on with {text_of(goes_on)!r}")
    written = expect_ok(server.post("/tokenize", {"model": GUIDE, "content": beginning}))["count"]
    usage = goes_on["usage"]
    expect(usage["prompt_tokens"] == answer["usage"]["prompt_tokens"] + written,
           f"{usage} counts {written} tokens that were given not at all")
    expect(usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"], "the sum is wrong")
    first = text_of(server.chat(**fields, max_tokens=2))
    expect(first and text_of(goes_on).startswith(first), f"a limit gives {first!r}")
    # Neither what stands in the beginning nor what begins there ends the answer; what comes after it does.
    for stop in (beginning[:4], beginning[-3:] + text_of(goes_on)[:3]):
        expect(text_of(server.chat(**fields, stop=stop)) == text_of(goes_on), f"it stops at {stop!r}, which was given")
    word = text_of(goes_on).split()[2]
    expect(
        text_of(server.chat(**fields, stop=word)) == text_of(goes_on)[:text_of(goes_on).index(word)],
        f"it does not stop at {word!r}")


def check_stream(server):
    whole = server.chat()
    chunks = list(server.chat_stream(stream_options={"include_usage": True}))
    for chunk in chunks:
        jsonschema.validate(chunk, CHUNK)
    expect(len({chunk["id"] for chunk in chunks}) == 1, "one answer has several names")
    expect(chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""},
           "the first chunk does not say who speaks")
    expect(joined(chunks) == text_of(whole), "a streamed answer is another one")
    reasons = [choice["finish_reason"] for chunk in chunks for choice in chunk["choices"] if choice["finish_reason"]]
    expect(reasons == ["stop"], f"it ended because of {reasons}")
    expect(
        chunks[-1]["choices"] == [] and chunks[-1]["usage"]["completion_tokens"] == whole["usage"]["completion_tokens"],
        "the usage is wrong")
    expect(not any("usage" in chunk for chunk in server.chat_stream()), "usage was told that nobody asked for")
    # Each choice of several is whole, wherever its chunks stand.
    several = list(server.chat_stream(n=3, seed=5, **FREE))
    texts = [
        "".join(c["delta"].get("content", "")
                for chunk in several
                for c in chunk["choices"]
                if c["index"] == index)
        for index in range(3)
    ]
    expect(texts == [text_of(server.chat(n=3, seed=5, **FREE), index) for index in range(3)], "streamed choices differ")


def check_sampling(server):
    several = server.chat(n=3, seed=11, **FREE)
    texts = [text_of(several, index) for index in range(3)]
    expect(
        len(set(texts)) == 3 and [choice["index"] for choice in several["choices"]] == [0, 1, 2],
        f"three answers: {texts}")
    expect(16 < several["usage"]["completion_tokens"] <= 48, "what was counted is not what was written")
    again = server.chat(n=3, seed=11, **FREE)
    expect([text_of(again, index) for index in range(3)] == texts, "a seed gives other answers the second time")
    # The second of several has the next seed.
    expect([text_of(server.chat(seed=seed, **FREE)) for seed in (11, 12, 13)] == texts,
           "seeds change nothing, or not as they should")
    unseeded = {text_of(server.chat(**FREE)) for _ in range(3)}
    expect(len(unseeded) == 3, "without a seed all answers are alike")

    greedy = text_of(server.chat())
    word = greedy.split()[4]
    for stop in (word, [word, "never said"]):
        stopped = server.chat(stop=stop)
        expect(text_of(stopped) == greedy[:greedy.index(word)], f"{text_of(stopped)!r} does not stop before {word!r}")
        expect(stopped["choices"][0]["finish_reason"] == "stop", "the reason is wrong")
    # A text to stop at is never shown, not even its beginning.
    expect(joined(server.chat_stream(stop=word)) == greedy[:greedy.index(word)], "a stream shows where it stops")

    first = expect_ok(server.post("/tokenize", {"model": GUIDE, "content": greedy}))["tokens"][0]
    forbidden = text_of(server.chat(logit_bias={str(first): -100}))
    expect(forbidden and not forbidden.startswith(greedy.split()[0]),
           f"a token that is forbidden is said: {forbidden!r}")
    forced = text_of(server.chat(logit_bias={str(first): 100}, max_tokens=5))
    expect(forced == greedy.split()[0] * 5 or forced.split() == [greedy.split()[0]] * 5,
           f"a token that is wanted is not said: {forced!r}")
    # Where one token is wanted so much, only a penalty lets another one be said.
    loop = {"grammar": 'root ::= ("a" | "b" | "c"){40}', "max_tokens": 40}
    plain = text_of(server.chat(**loop))
    for penalty in ({"frequency_penalty": 2}, {"presence_penalty": 2}, {"repetition_penalty": 10}):
        expect(text_of(server.chat(**loop, **penalty)) != plain, f"{penalty} changes nothing")
    for one in ({"top_k": 1}, {"top_p": 0.0}, {"min_p": 1.0}):
        expect(text_of(server.chat(**{**FREE, "max_tokens": 100, **one})) == greedy, f"{one} leaves a choice")


def check_forms(server):
    """What must have a form has it, however it is sampled."""
    for number, temperature in enumerate((0, 1, 2)):
        answer = server.chat(temperature=temperature, seed=number, response_format={
            "type": "json_schema", "json_schema": {"name": "person", "strict": True, "schema": PERSON}})
        jsonschema.validate(json.loads(text_of(answer)), PERSON)
    expect_failure(lambda: _validate({"name": "x"}, PERSON), "a schema that nothing breaks")
    expect(
        isinstance(
            json.loads(
                text_of(
                    server.chat(response_format={"type": "json_object"}, max_tokens=200, logit_bias=_closing(server)))),
            dict), "not an object")
    expect(text_of(server.chat(grammar='root ::= "yes" | "no"')) in ("yes", "no"), "not what the grammar says")


def _validate(value, schema):
    try:
        jsonschema.validate(value, schema)
    except jsonschema.ValidationError as error:
        expect(False, error.message)


def _closing(server):
    """The end of an object is wanted: a small model would not find it before the limit."""
    return {str(expect_ok(server.post("/tokenize", {"model": GUIDE, "content": "}"}))["tokens"][-1]): 100}


def calls_of(answer):
    choice = answer["choices"][0]
    expect(choice["finish_reason"] == "tool_calls" and choice["message"]["content"] is None, f"no call: {choice}")
    return choice["message"]["tool_calls"]


def check_tools(server):
    required = server.chat("What is the weather?", tools=TOOLS, tool_choice="required")
    jsonschema.validate(required, COMPLETION)
    call, = calls_of(required)
    schemas = {"weather": CITY, "time": ZONE}
    jsonschema.validate(json.loads(call["function"]["arguments"]), schemas[call["function"]["name"]])
    for name, schema in schemas.items():
        fields = {"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": name}}}
        call, = calls_of(server.chat("What is it?", **fields))
        expect(call["function"]["name"] == name, f"{call['function']['name']} was called in place of {name}")
        jsonschema.validate(json.loads(call["function"]["arguments"]), schema)
        chunks = list(server.chat_stream("What is it?", **fields))
        for chunk in chunks:
            jsonschema.validate(chunk, CHUNK)
        streamed = [
            each for chunk in chunks for choice in chunk["choices"] for each in choice["delta"].get("tool_calls", [])
        ]
        expect([each["function"] for each in streamed] == [call["function"]], "a streamed call is another one")
        expect(not joined(chunks) and chunks[-1]["choices"][0]["finish_reason"] == "tool_calls",
               "a call is told as text")
    # References begin at the parameters, wherever these stand.
    place = {"$defs": {"P": CITY}, "type": "object", "properties": {"at": {"$ref": "#/$defs/P"}}, "required": ["at"],
             "additionalProperties": False}
    moved, = calls_of(server.chat("What is it?", tools=[function("place", place)], tool_choice="required"))
    jsonschema.validate(json.loads(moved["function"]["arguments"]), place)
    # The whole round: the model is told what came of it.
    history = [{"role": "user", "content": "What is it?"}, {"role": "assistant", "content": None, "tool_calls": [call]},
               {"role": "tool", "tool_call_id": call["id"], "content": "12:00"}]
    expect(text_of(server.chat(messages=history, tools=TOOLS)), "no answer to a result")
    expect(
        text_of(server.chat(tools=TOOLS, tool_choice="none")) == text_of(server.chat()),
        "tools that may not be used change the answer")


def check_completions(server):
    body = {"model": GUIDE, "prompt": "Inglenook is", "max_tokens": 8, "temperature": 0}
    answer = expect_ok(server.post("/v1/completions", body))
    choice, = answer["choices"]
    expect(answer["object"] == "text_completion" and choice["text"] and choice["finish_reason"] in ("length", "stop"),
           f"{answer}")
    chunks = list(server.stream("/v1/completions", {**body, "stream": True, "stream_options": {"include_usage": True}}))
    expect("".join(c["text"] for chunk in chunks for c in chunk["choices"]) == choice["text"],
           "a streamed text is another one")
    expect(chunks[-1]["usage"]["completion_tokens"] == answer["usage"]["completion_tokens"], "the usage is wrong")


def check_chances(server):
    scored = server.chat(logprobs=True, top_logprobs=3, max_tokens=4)["choices"][0]["logprobs"]["content"]
    expect(
        len(scored) == 4 and all(len(each["top_logprobs"]) == 3 and each["logprob"] <= 0 for each in scored),
        f"{scored}")
    expect(all(each["top_logprobs"][0]["token"] == each["token"] for each in scored),
           "the likeliest token was not taken")
    expect(all(bytes(each["bytes"]).decode() == each["token"] for each in scored), "bytes are not those of the token")
    streamed = [
        each for chunk in server.chat_stream(logprobs=True, top_logprobs=3, max_tokens=4) for choice in chunk["choices"]
        for each in (choice["logprobs"] or {"content": []})["content"]
    ]
    expect(streamed == scored, "a streamed answer has other chances")
    body = {"model": GUIDE, "prompt": "Inglenook is", "max_tokens": 8, "temperature": 0, "logprobs": 2}
    choice = expect_ok(server.post("/v1/completions", body))["choices"][0]
    scored = choice["logprobs"]
    expect("".join(scored["tokens"]) == choice["text"], f"{scored}")
    expect(len(scored["token_logprobs"]) == len(scored["top_logprobs"]) == len(scored["tokens"]), f"{scored}")


def check_embeddings(server, name):
    texts = ["a lamp", "the light of a house", "bread"]
    answer = expect_ok(server.post("/v1/embeddings", {"model": name, "input": texts}))
    rows = [each["embedding"] for each in answer["data"]]
    expect([each["index"] for each in answer["data"]] == [0, 1, 2] and len({len(row) for row in rows}) == 1,
           "rows are missing")
    expect(answer["usage"]["prompt_tokens"] > 0, "nothing was counted")
    packed = expect_ok(server.post("/v1/embeddings",
                                   {"model": name, "input": texts, "encoding_format": "base64"}))["data"]
    unpacked = [
        struct.unpack(f"<{len(row)}f", base64.b64decode(each["embedding"], validate=True))
        for row, each in zip(rows, packed)
    ]
    # A float that is written in decimals is the same float.
    expect([list(row) for row in unpacked
           ] == [[struct.unpack("<f", struct.pack("<f", value))[0] for value in row] for row in rows],
           "base64 says something else")
    single = expect_ok(server.post("/v1/embeddings", {"model": name, "input": texts[2]}))["data"]
    expect(
        len(single) == 1 and max(abs(a - b) for a, b in zip(single[0]["embedding"], rows[2])) < 1e-4,
        "alone it is another one")
    expect(max(abs(a - b) for a, b in zip(rows[0], rows[1])) > 1e-3, "all texts are alike")
    # LangChain's client sends tokens.
    ids, other = [5, 6, 7], [7, 6, 5, 5]
    one, two = (expect_ok(server.post("/v1/embeddings", {"model": name, "input": given}))
                for given in (ids, [other, ids]))
    expect(one["usage"]["prompt_tokens"] == 3 and two["usage"]["prompt_tokens"] == 7, f"{one['usage']} {two['usage']}")
    of_one, of_other, of_ids = (each["embedding"] for each in one["data"] + two["data"])
    expect(max(abs(a - b) for a, b in zip(of_one, of_ids)) < 1e-4, "the same tokens are another text")
    expect(max(abs(a - b) for a, b in zip(of_one, of_other)) > 1e-3, "all tokens are alike")
    short = expect_ok(server.post("/v1/embeddings", {"model": name, "input": texts[0], "dimensions": 8}))["data"]
    row = short[0]["embedding"]
    length = sum(value * value for value in rows[0][:8]) ** 0.5
    expect(len(row) == 8 and max(abs(a * length - b) for a, b in zip(row, rows[0])) < 1e-5, f"shortened: {row}")


def check_embeddings_beside(server, name):
    """Who reads an answer goes on reading while many texts of somebody else are read: no pause is as long as all of
    them take."""
    texts = [f"{number} " + "a lamp in a window " * 80 for number in range(200)]
    answer = {"grammar": "root ::= [a-z ]{3500}"}
    stream = server.chat_stream(**answer)
    next(stream)
    asked = Background(server.post, "/v1/embeddings", {"model": name, "input": texts, "truncate": True})
    began = last = time.monotonic()
    longest = 0
    while not asked.is_done():
        if next(stream, None) is None:  # a fast engine writes several meanwhile
            stream = server.chat_stream(**answer)
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    stream.close()
    expect(len(expect_ok(asked.result())["data"]) == len(texts), "rows are missing")
    expect(longest < (last - began) / 4,
           f"while {len(texts)} texts were read for {last - began:.1f} s, an answer waited for {longest:.1f} s")


def check_lenience(server):
    """What clients do that says nothing else: a slash at the end, no "/v1", no model, hints, numbers as floats."""
    greedy = text_of(server.chat())
    for path in ("/v1/chat/completions/", "/chat/completions"):
        expect(text_of(expect_ok(server.post(path, chat_body()))) == greedy, f"{path} answers something else")
    body = chat_body(prompt_cache_key="x", service_tier="auto", store=True, verbosity="low", max_tokens=-1)
    del body["model"]
    answer = expect_ok(server.post("/v1/chat/completions", body))
    expect(text_of(answer) == greedy and answer["model"] == GUIDE, "hints change the answer")
    expect(server.chat(max_tokens=3.0)["usage"]["completion_tokens"] == 3, "3.0 is not 3")
    read = server.chat(max_tokens=0)
    expect(text_of(read) == "" and read["usage"]["completion_tokens"] == 0 and read["usage"]["prompt_tokens"] > 0,
           f"more than the prompt is read: {read}")
    expect(expect_ok(server.get("/models/")) == expect_ok(server.get("/v1/models")), "/models/ is another list")
    expect(expect_ok(server.get(f"/v1/models/{GUIDE}/"))["id"] == GUIDE, "a slash makes another model")


def check_prompts(server):
    """Several prompts, and prompts of ids, are as each alone."""
    def texts(prompt, **fields):
        body = {"model": GUIDE, "prompt": prompt, "max_tokens": 6, "temperature": 0, **fields}
        answer = expect_ok(server.post("/v1/completions", body))
        expect([each["index"] for each in answer["choices"]] == list(range(len(answer["choices"]))), f"{answer}")
        return [each["text"] for each in answer["choices"]], answer["usage"]["prompt_tokens"]

    prompts = ["Inglenook is", "A model"]
    alone = [texts(prompt) for prompt in prompts]
    together = texts(prompts, n=2)
    expect(together[0] == [text for (text, ), _ in alone for _ in range(2)], f"{together} in place of {alone}")
    expect(together[1] == sum(tokens for _, tokens in alone), "tokens of prompts are counted otherwise")
    ids = [expect_ok(server.post("/tokenize", {"model": GUIDE, "content": prompt, "add_special": True}))["tokens"]
           for prompt in prompts]
    expect(texts(ids)[0] == [text for (text, ), _ in alone], "ids are another prompt than their text")
    expect(texts(ids[0])[0] == alone[0][0], "a list of ids is no prompt")
    chunks = list(server.stream("/v1/completions", {
        "model": GUIDE, "prompt": prompts, "max_tokens": 6, "temperature": 0, "stream": True}))
    for index in range(2):
        streamed = "".join(c["text"] for chunk in chunks for c in chunk["choices"] if c["index"] == index)
        expect(streamed == alone[index][0][0], f"streamed: {streamed!r}")
    plain = "Drop it, grüße 😀."
    tokens = expect_ok(server.post("/tokenize", {"model": GUIDE, "content": plain}))["tokens"]
    told = expect_ok(server.post("/detokenize", {"model": GUIDE, "tokens": tokens}))
    expect(told["content"].strip() == plain and told["prompt"] == told["content"], f"{told}")


def check_further_samplers(server):
    greedy = text_of(server.chat())
    expect(text_of(server.chat(**{**FREE, "max_tokens": 100, "top_n_sigma": 0.001})) == greedy,
           "top-n-sigma leaves a choice")
    fields = {**FREE, "seed": 3}
    expect(text_of(server.chat(xtc_probability=0.0, **fields)) == text_of(server.chat(**fields)),
           "XTC that never happens changes something")
    expect(text_of(server.chat(temperature=0.01, xtc_probability=1, xtc_threshold=0.0, top_k=2, seed=3)) != greedy,
           "the likeliest is taken all the same")
    loop = {"grammar": 'root ::= ("a" | "b" | "c"){40}', "max_tokens": 40}
    plain = text_of(server.chat(**loop))
    dry = text_of(server.chat(dry_multiplier=50, dry_allowed_length=1, **loop))
    expect(dry != plain and len(set(dry[:3])) > 1, f"{dry} goes on as {plain}")


def named_events(connection, path, body):
    """Server-sent events with names."""
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    response = connection.getresponse()
    expect(response.status == 200, f"status {response.status}")
    told = []
    for block in response.read().decode().strip().split("\n\n"):
        if block.startswith(":"):
            continue
        name, data = block.split("\n")
        told.append(json.loads(data.removeprefix("data: ")))
        expect(name == f"event: {told[-1]['type']}", f"{name} is {told[-1]}")
    connection.close()
    return told


def check_dialects(server):
    """The other APIs answer what chats do."""
    greedy = text_of(server.chat())
    body = {"model": GUIDE, "input": QUESTION, "temperature": 0}
    whole = expect_ok(server.post("/v1/responses", body))
    expect(whole["status"] == "completed" and whole["output"][0]["content"][0]["text"] == greedy, f"{whole}")
    told = named_events(server.connect(), "/v1/responses", {**body, "stream": True})
    expect("".join(each.get("delta", "") for each in told) == greedy, "a streamed response is another one")
    expect([each["sequence_number"] for each in told] == list(range(len(told))), "events are not numbered")
    last = told[-1]
    expect(last["type"] == "response.completed" and last["response"]["usage"]["total_tokens"] > 0, f"{last}")
    again = [{"role": "user", "content": QUESTION}, *whole["output"], {"role": "user", "content": QUESTION}]
    expect(expect_ok(server.post("/v1/responses", {**body, "input": again}))["usage"]["input_tokens"]
           > whole["usage"]["input_tokens"], "the items before are not read")
    form = {"type": "json_schema", "name": "p", "schema": PERSON}
    answer = expect_ok(server.post("/v1/responses", {**body, "text": {"format": form}}))
    jsonschema.validate(json.loads(answer["output"][0]["content"][0]["text"]), PERSON)
    cut = expect_ok(server.post("/v1/responses", {**body, "max_output_tokens": 2}))
    expect(cut["status"] == "incomplete" and cut["usage"]["output_tokens"] == 2, f"{cut}")

    messages = [{"role": "user", "content": QUESTION}]
    body = {"model": GUIDE, "messages": messages, "max_tokens": 300, "temperature": 0}
    whole = expect_ok(server.post("/v1/messages", body))
    expect(whole["content"] == [{"type": "text", "text": greedy}] and whole["stop_reason"] == "end_turn", f"{whole}")
    told = named_events(server.connect(), "/v1/messages", {**body, "stream": True})
    expect("".join(each["delta"]["text"] for each in told if each["type"] == "content_block_delta") == greedy,
           "a streamed message is another one")
    called = expect_ok(server.post("/v1/messages", {
        **body, "tools": [{"name": "weather", "input_schema": CITY}], "tool_choice": {"type": "any"}}))
    jsonschema.validate(called["content"][0]["input"], CITY)
    expect(called["stop_reason"] == "tool_use", f"{called}")

    body = {"model": GUIDE + ":latest", "messages": messages, "options": {"temperature": 0}}
    reply = server.post("/api/chat", body)
    expect(reply.headers["content-type"] == "application/x-ndjson", f"{reply.headers}")
    lines = [json.loads(line) for line in reply.body.decode().splitlines()]
    expect("".join(each["message"]["content"] for each in lines) == greedy, "Ollama's stream is another answer")
    expect([each["done"] for each in lines] == [False] * (len(lines) - 1) + [True], "done before the end")
    whole = expect_ok(server.post("/api/chat", {**body, "stream": False}))
    expect(whole["message"]["content"] == greedy and whole["eval_count"] > 0, f"{whole}")
    tags = expect_ok(server.get("/api/tags"))["models"]
    expect([each["name"] for each in tags][0] == GUIDE and tags[0]["size"] > 0, f"{tags}")
    shown = expect_ok(server.post("/api/show", {"model": GUIDE}))
    expect("completion" in shown["capabilities"] and shown["details"]["family"], f"{shown}")


def check_small_ones(server, names):
    models = expect_ok(server.get("/v1/models"))
    expect(models["object"] == "list" and [each["id"] for each in models["data"]] == names, f"{models}")
    expect([each["type"] for each in models["data"]] == ["llm", "embeddings"], f"{models}")
    for each in models["data"]:
        expect(each["object"] == "model" and each["created"] > 1_600_000_000 and each["owned_by"], f"{each}")
    text = "Drop the model file anywhere on the window."
    counted = expect_ok(server.post("/tokenize", {"model": GUIDE, "content": text}))
    expect(counted["count"] == len(counted["tokens"]) > 3, f"{counted}")
    expect(
        expect_ok(server.post("/tokenize", {"model": GUIDE, "prompt": text})) == counted,
        "vLLM's name for it changes it")
    expect(
        expect_ok(server.post("/tokenize", {"model": GUIDE, "content": text, "add_special": True}))["count"]
        >= counted["count"], "special tokens are lost")
    expect(expect_ok(server.get("/health")) == {"status": "ok"}, "not well")
    head = server.ask("HEAD", "/health")
    expect(head.status == 200 and head.body == b"" and int(head.headers["content-length"]) > 0,
           "HEAD is not GET without its body")
    page = server.get("/")
    expect(
        page.status == 200 and b"NONCE" not in page.body
        and page.headers["content-security-policy"].startswith("default-src 'none'"), "no page")


def check_metrics(server):
    before = server.metrics()
    server.chat(max_tokens=4)
    server.get("/nowhere")
    after = server.metrics()

    def grown(name):
        return after.get(name, 0) - before.get(name, 0)

    expect(
        grown('ingle_requests_total{endpoint="/v1/chat/completions",status="200"}') == 1, "the request was not counted")
    expect(grown('ingle_requests_total{endpoint="none",status="404"}') == 1, "the refusal was not counted")
    expect(grown("ingle_generated_tokens_total") == 4 and grown("ingle_answers_total") == 1, "tokens were not counted")
    expect(
        grown("ingle_time_to_first_token_seconds_count") == 1 ==
        grown('ingle_time_to_first_token_seconds_bucket{le="+Inf"}'), "no histogram")
    buckets = [value for name, value in after.items() if "_bucket" in name]
    expect(buckets == sorted(buckets), "buckets do not add up")
    expect(after["ingle_answers_under_way"] == 0, "an answer is under way that nobody asked for")
    for wrong in ("a b c\n", "a 1\n", "# TYPE a gauge\na 1\na 1\n", "# TYPE a counter\na{x=1} 1\n"):
        expect_failure(lambda text=wrong: prometheus(text), f"{wrong!r} was taken for metrics")


def check(server, models):
    check_chat(server)
    check_stream(server)
    check_sampling(server)
    check_forms(server)
    check_tools(server)
    check_completions(server)
    check_lenience(server)
    check_prompts(server)
    check_further_samplers(server)
    check_dialects(server)
    check_chances(server)
    check_embeddings(server, models[1])
    check_embeddings_beside(server, models[1])
    check_small_ones(server, models)
    check_metrics(server)
