"""Models that say what a script says: a llama of one layer without weights, in which each token has one follower. What
is said depends on the last message: a call of a tool, or what was told of its result."""
import array
import json
import struct

CALLED = {"city": "Paris", "days": 2}
ANSWER = "It rains in Paris."
THOUGHT = "The tool knows."
NAME = "weather"

# How a family writes calls: around a call, between name and arguments, and each argument.
HEAD = """{%- if tools %}<|im_start|>system
# Tools
{{ tools | tojson }}<|im_end|>
{% endif %}{% for m in messages %}<|im_start|>{{ m.role }}
{% if m.reasoning_content %}<think>
{{ m.reasoning_content }}
</think>

{% endif %}{{ m.content or '' }}"""
TAIL = """<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% if messages[-1].role == 'tool' %}<|told|>{% else %}<|asked|>{% endif %}{% endif %}"""
DIALECTS = {
    "hermes": ("""{% for c in m.tool_calls or [] %}<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}""", ["<think>", "\n" + THOUGHT + "\n", "</think>", "\n\n", "<tool_call>",
                              '\n{"name": "weather", "argu', 'ments": ' + json.dumps(CALLED), "}\n", "</tool_call>"]),
    "xml": ("""{% for c in m.tool_calls or [] %}<tool_call>
<function={{ c.function.name }}>
{% for name, value in c.function.arguments.items() %}<parameter={{ name }}>
{{ value if value is string else value | tojson }}
</parameter>
{% endfor %}</function>
</tool_call>{% endfor %}""", ["<tool_call>", "\n<function=weather>\n<parameter=city>\nPa", "ris\n</parameter>\n",
                              "<parameter=days>\n2\n</parameter>\n</function>\n", "</tool_call>"]),
    "mistral": ("""{% for c in m.tool_calls or [] -%}
[TOOL_CALLS]{{ c.function.name }}[ARGS]{{ c.function.arguments | tojson }}
{%- endfor %}""", ["[TOOL_CALLS]", "weather", "[ARGS]", json.dumps(CALLED)]),
    "glm": ("""{% for c in m.tool_calls or [] %}<tool_call>{{ c.function.name }}
{% for name, value in c.function.arguments.items() %}<arg_key>{{ name }}</arg_key>
<arg_value>{{ value if value is string else value | tojson }}</arg_value>
{% endfor %}</tool_call>{% endfor %}""", ["<tool_call>", "weather\n", "<arg_key>", "city", "</arg_key>", "\n",
                                          "<arg_value>", "Paris", "</arg_value>", "\n", "<arg_key>", "days",
                                          "</arg_key>", "\n", "<arg_value>", "2", "</arg_value>", "\n",
                                          "</tool_call>"]),
    "gemma": ("""{% for c in m.tool_calls or [] %}<|tool_call>call:{{ c.function.name }}{{ '{' }}
{%- for name, value in c.function.arguments.items() %}{{ ',' if not loop.first }}{{ name }}:
{%- if value is string %}<|"|>{{ value }}<|"|>{% else %}{{ value }}{% endif %}{% endfor %}{{ '}' }}<tool_call|>
{%- endfor %}""", ["<|tool_call>", "call:weather{city:", '<|"|>', "Paris", '<|"|>', ",days:2}", "<tool_call|>"]),
    "kimi": ("""{% if m.tool_calls %}<|tool_calls_section_begin|>{% for c in m.tool_calls %}<|tool_call_begin|>
{{- c.id }}{% endfor %}<|tool_calls_section_end|>{% endif %}{# <|tool_call_argument_begin|> #}""",
             ["<|tool_calls_section_begin|>", "<|tool_call_begin|>", "functions.weather:0",
              "<|tool_call_argument_begin|>", json.dumps(CALLED), "<|tool_call_end|>", "<|tool_calls_section_end|>"]),
    # Nobody knows it: the template tells how it is read.
    "unknown": ("""{% for c in m.tool_calls or [] %}<|with|>{{ c.function.arguments | tojson }}<|do|>
{{- c.function.name }}<|done|>{% endfor %}""", ["<|with|>", json.dumps(CALLED), "<|do|>", "weather", "<|done|>"]),
}
CONTROL = ["<|im_start|>", "<|im_end|>", "<|asked|>", "<|told|>", "<think>", "</think>", "<tool_call>", "</tool_call>",
           "[TOOL_CALLS]", "[ARGS]", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<|tool_call>",
           "<tool_call|>", '<|"|>', "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>",
           "<|tool_call_argument_begin|>", "<|tool_call_end|>", "<|with|>", "<|do|>", "<|done|>"]


def byte_letters():
    """GPT-2's letters for bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte if byte in plain else next(others)) for byte in range(256)]


class Writer:
    """GGUF, version 3."""
    KINDS = {"u32": (4, "<I"), "i32": (5, "<i"), "f32": (6, "<f"), "bool": (7, "<?")}

    def __init__(self):
        self.keys, self.infos, self.data, self.num_keys, self.num_tensors = b"", b"", b"", 0, 0

    @staticmethod
    def text(text):
        encoded = text.encode()
        return struct.pack("<Q", len(encoded)) + encoded

    def key(self, name, kind, value):
        self.num_keys += 1
        self.keys += self.text(name)
        if kind == "str":
            self.keys += struct.pack("<I", 8) + self.text(value)
        elif kind == "texts":
            self.keys += struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(self.text, value))
        elif kind == "numbers":
            self.keys += struct.pack("<IIQ", 9, 5, len(value)) + struct.pack(f"<{len(value)}i", *value)
        else:
            number, form = self.KINDS[kind]
            self.keys += struct.pack("<I", number) + struct.pack(form, value)

    def tensor(self, name, shape, values):
        self.num_tensors += 1
        self.infos += self.text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(self.data))
        raw = array.array("f", values).tobytes()
        self.data += raw + bytes(-len(raw) % 32)

    def write(self, path):
        head = b"GGUF" + struct.pack("<IQQ", 3, self.num_tensors, self.num_keys) + self.keys + self.infos
        path.write_bytes(head + bytes(-len(head) % 32) + self.data)


def write_model(path, dialect):
    """A model that speaks `dialect`, one of DIALECTS."""
    letters = byte_letters()
    calls, said = DIALECTS[dialect]
    # A mark of a script is a token of its own beside the one that prompts have, as it has another follower.
    tokens, types = letters + CONTROL, [1] * 256 + [3] * len(CONTROL)
    follower = {}

    def say(begin, pieces):
        last = tokens.index(begin)
        for piece in pieces:
            tokens.append(piece if piece in CONTROL else "".join(letters[byte] for byte in piece.encode()))
            types.append(3 if piece in CONTROL else 1)
            follower[last] = last = len(tokens) - 1
        follower[last] = tokens.index("<|im_end|>")

    say("<|asked|>", said)
    say("<|told|>", ["It rains", " in ", "Paris."])
    size, width, hidden = len(tokens), -(-len(tokens) // 64) * 64, 32
    model = Writer()
    for name, kind, value in (("block_count", "u32", 1), ("context_length", "u32", 4096),
                              ("embedding_length", "u32", width), ("feed_forward_length", "u32", hidden),
                              ("attention.head_count", "u32", 8), ("attention.head_count_kv", "u32", 8),
                              ("attention.layer_norm_rms_epsilon", "f32", 1e-5),
                              ("rope.dimension_count", "u32", width // 8), ("rope.freq_base", "f32", 10000.0)):
        model.key(f"llama.{name}", kind, value)
    for name, kind, value in (("general.architecture", "str", "llama"), ("general.name", "str", dialect),
                              ("tokenizer.ggml.model", "str", "gpt2"), ("tokenizer.ggml.pre", "str", "gpt-2"),
                              ("tokenizer.ggml.tokens", "texts", tokens),
                              ("tokenizer.ggml.token_type", "numbers", types),
                              ("tokenizer.ggml.merges", "texts", ["a b"]),
                              ("tokenizer.ggml.eos_token_id", "u32", tokens.index("<|im_end|>")),
                              ("tokenizer.ggml.add_bos_token", "bool", False),
                              ("tokenizer.chat_template", "str", HEAD + calls + TAIL)):
        model.key(name, kind, value)

    def matrix(ones, rows):
        values = array.array("f", bytes(4 * width * rows))
        for row, column in ones:
            values[row * width + column] = 1
        return values

    model.tensor("token_embd.weight", (width, size), matrix(((token, token) for token in range(size)), size))
    square = array.array("f", bytes(4 * width * width))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        model.tensor(f"blk.0.{name}.weight", (width, width), square)
    for name in ("ffn_gate", "ffn_up"):
        model.tensor(f"blk.0.{name}.weight", (width, hidden), array.array("f", bytes(4 * width * hidden)))
    model.tensor("blk.0.ffn_down.weight", (hidden, width), array.array("f", bytes(4 * width * hidden)))
    for name in ("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"):
        model.tensor(f"{name}.weight", (width, ), array.array("f", [1.0] * width))
    model.tensor("output.weight", (width, size), matrix(((after, token) for token, after in follower.items()), size))
    model.write(path)
