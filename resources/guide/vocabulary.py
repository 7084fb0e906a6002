"""The guide's vocabulary and chat format: SentencePiece BPE with byte fallback, three control tokens for the turns,
one for every intent, and a piece for every fact.

The guide writes the intent's token first, which nobody sees, and then the words of an answer to it. So what was asked
is decided at one place instead of word by word. The piece of a fact reads as its place in the answers,
`{key:models}`, until fill.py gives it its text; here it is never found in a text, only put where an answer has that
place.
"""
import dataclasses
import enum
import pathlib
import struct

import sentencepiece

import facts as facts_of_program

USER, ASSISTANT, END = "<|user|>", "<|assistant|>", "<|end|>"

# What a chat looks like to the guide. Users' text is lower-cased, and only the last exchange is shown before the
# question: a model this small has no use for capitals or for a long past. Instructions of the system are left out: it
# cannot follow any.
CHAT_TEMPLATE = (
    "{{ bos_token }}"
    "{% for message in messages[-3:] %}"
    "{% if message['role'] == 'user' %}<|user|> {{ message['content'] | trim | lower }}<|end|>"
    "{% elif message['role'] == 'assistant' %}<|assistant|>{{ message['content'] | trim }}<|end|>{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def topic(intent: str) -> str:
    return f"<|{intent}|>"


class Kind(enum.IntEnum):
    """GGUF's token types; SentencePiece numbers those it shares alike, and has 5 for unused pieces."""
    NORMAL, UNKNOWN, CONTROL, UNUSED, BYTE = 1, 2, 3, 5, 6


@dataclasses.dataclass(frozen=True)
class Piece:
    text: str
    score: float
    kind: Kind

    @property
    def is_fact(self) -> bool:
        return self.kind == Kind.NORMAL and facts_of_program.PLACE.fullmatch(self.text) is not None


def learn(texts: list[str], prefix: pathlib.Path, size: int) -> list[Piece]:
    """`size` pieces for the texts. Writes prefix.model, too. The normaliser is the identity, as GGUF's "llama"
    tokenizer has none."""
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(texts),
                                             model_prefix=str(prefix),
                                             vocab_size=size,
                                             model_type="bpe",
                                             byte_fallback=True,
                                             character_coverage=0.9999,
                                             normalization_rule_name="identity",
                                             add_dummy_prefix=False,
                                             remove_extra_whitespaces=False,
                                             control_symbols=[USER, ASSISTANT, END],
                                             max_sentence_length=100000,
                                             num_threads=1,
                                             minloglevel=2)
    sp = sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")
    kind = lambda i: Kind.UNKNOWN if sp.is_unknown(i) else Kind.CONTROL if sp.is_control(
        i) else Kind.BYTE if sp.is_byte(i) else Kind.NORMAL
    return [Piece(sp.id_to_piece(i), sp.get_score(i), kind(i)) for i in range(sp.vocab_size())]


def of_gguf(metadata: dict) -> list[Piece]:
    columns = ("tokens", "scores", "token_type")
    return [
        Piece(text, score, Kind(kind))
        for text, score, kind in zip(*(metadata[f"tokenizer.ggml.{column}"] for column in columns))
    ]


def grown(pieces: list[Piece], intents: list[str], facts: list[str]) -> list[Piece]:
    """With the pieces that these intents and facts lack, at the end."""
    have = {piece.text for piece in pieces}
    wanted = [Piece(topic(name), 0.0, Kind.CONTROL) for name in intents
             ] + [Piece(f"{{{name}}}", 0.0, Kind.NORMAL) for name in facts]
    return pieces + [piece for piece in wanted if piece.text not in have]


def _field(number: int, wire: int, payload: bytes) -> bytes:
    return _varint(number << 3 | wire) + payload


def _varint(value: int) -> bytes:
    head = b""
    while value >= 0x80:
        head, value = head + bytes([value & 0x7F | 0x80]), value >> 7
    return head + bytes([value])


def _bytes(number: int, payload: bytes) -> bytes:
    return _field(number, 2, _varint(len(payload)) + payload)


def model_proto(pieces: list[Piece]) -> bytes:
    """A serialized SentencePiece model: sentencepiece_model.proto in protobuf's encoding, as
    engine/tokenizer/kinds/llama.cpp writes it."""
    proto = b""
    for piece in pieces:
        kind = Kind.UNUSED if piece.is_fact else piece.kind
        proto += _bytes(
            1,
            _bytes(1, piece.text.encode()) + _field(2, 5, struct.pack("<f", piece.score)) + _field(3, 0, _varint(kind)))
    bpe = 2
    proto += _bytes(2, _field(3, 0, _varint(bpe)) + _field(35, 0, _varint(1)))
    return proto + _bytes(
        3,
        _bytes(1, b"identity") + _field(3, 0, _varint(0)) + _field(4, 0, _varint(0)) + _field(5, 0, _varint(1)))


class Vocabulary:
    def __init__(self, pieces: list[Piece]):
        self.pieces = pieces
        self.ids = {piece.text: i for i, piece in enumerate(pieces)}
        self.processor = sentencepiece.SentencePieceProcessor(model_proto=model_proto(pieces))
        self.bos, self.end, self.user, self.assistant = (self.ids[text] for text in ("<s>", END, USER, ASSISTANT))

    def __len__(self) -> int:
        return len(self.pieces)

    def topic_id(self, intent: str) -> int:
        """Raises KeyError for an intent that the vocabulary does not have."""
        return self.ids[topic(intent)]

    def answer(self, text: str) -> list[int]:
        """Ids of an answer with places for facts. Raises KeyError for a fact that the vocabulary does not have."""
        ids, at = [], 0
        for place in facts_of_program.PLACE.finditer(text):
            ids += [*self.processor.encode(text[at : place.start()]), self.ids[place[0]]]
            at = place.end()
        return ids + self.processor.encode(text[at:])

    def dialogue(self, messages: list[str], intent: str, split: float = 0.0) -> tuple[list[int], int]:
        """Ids as the chat template renders them, with the topic before the last answer, and the place of the topic.
        Only the last answer has places for facts. `split`: BPE dropout (Provilkov et al. 2020) of the users' words,
        so that unusual spellings are met in training."""
        ids = [self.bos]
        for turn, text in enumerate(messages):
            if turn % 2 == 0:
                encoded = self.processor.encode(" " + text, enable_sampling=True,
                                                alpha=split) if split else self.processor.encode(" " + text)
                ids += [self.user, *encoded, self.end]
            elif turn + 1 < len(messages):
                ids += [self.assistant, *self.processor.encode(text), self.end]
        ids.append(self.assistant)
        start = len(ids)
        return [*ids, self.topic_id(intent), *self.answer(messages[-1]), self.end], start

    def metadata(self) -> dict:
        """The tokenizer part of a GGUF file."""
        return {
            "tokenizer.ggml.model": "llama",
            "tokenizer.ggml.tokens": [piece.text for piece in self.pieces],
            "tokenizer.ggml.scores": [float(piece.score) for piece in self.pieces],
            "tokenizer.ggml.token_type": [int(piece.kind) for piece in self.pieces],
            "tokenizer.ggml.bos_token_id": self.bos,
            "tokenizer.ggml.eos_token_id": self.end,
            "tokenizer.ggml.unknown_token_id": self.ids["<unk>"],
            "tokenizer.ggml.add_bos_token": True,
            "tokenizer.ggml.add_space_prefix": False,
            "tokenizer.chat_template": CHAT_TEMPLATE,
        }
