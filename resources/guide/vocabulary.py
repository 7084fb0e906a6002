"""The guide's vocabulary and chat format: SentencePiece BPE with byte fallback, three control tokens for the turns, and one
for every intent: the guide writes the intent's token first, which nobody sees, and then the words of an answer to it. So what
was asked is decided at one place instead of word by word."""
import pathlib

import sentencepiece

USER, ASSISTANT, END = "<|user|>", "<|assistant|>", "<|end|>"

# What a chat looks like to the guide. Users' text is lower-cased, and only the last exchange is shown before the question:
# a model this small has no use for capitals or for a long past. Instructions of the system are left out: it cannot follow any.
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


def train(texts: list[str], intents: list[str], prefix: pathlib.Path, size: int) -> None:
    """Writes prefix.model. The normaliser is the identity, as GGUF's "llama" tokenizer has none."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_prefix=str(prefix), vocab_size=size, model_type="bpe", byte_fallback=True,
        character_coverage=0.9999, normalization_rule_name="identity", add_dummy_prefix=False, remove_extra_whitespaces=False,
        control_symbols=[USER, ASSISTANT, END, *map(topic, intents)], max_sentence_length=100000, num_threads=1, minloglevel=2)


class Vocabulary:
    def __init__(self, path: pathlib.Path):
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=str(path))
        self.bos, self.end = self.pieces.bos_id(), self.pieces.piece_to_id(END)
        self.user, self.assistant = self.pieces.piece_to_id(USER), self.pieces.piece_to_id(ASSISTANT)

    def __len__(self) -> int:
        return self.pieces.vocab_size()

    def topic_id(self, intent: str) -> int:
        """Raises KeyError for an intent that came after the vocabulary was trained."""
        found = self.pieces.piece_to_id(topic(intent))
        if found == self.pieces.unk_id():
            raise KeyError(intent)
        return found

    def dialogue(self, messages: list[str], intent: str, split: float = 0.0) -> tuple[list[int], int]:
        """Ids as the chat template renders them, with the topic before the last answer, and the place of the topic. `split`: BPE dropout
        (Provilkov et al. 2020) of the users' words, so that unusual spellings are met in training."""
        ids = [self.bos]
        start = 0
        for turn, text in enumerate(messages):
            if turn % 2 == 0:
                encoded = self.pieces.encode(" " + text, enable_sampling=split > 0, alpha=split) if split else self.pieces.encode(" " + text)
                ids += [self.user, *encoded, self.end]
            else:
                start = len(ids) + 1
                ids += [self.assistant, *self.pieces.encode(text), self.end]
        ids.insert(start, self.topic_id(intent))
        return ids, start

    def metadata(self) -> dict:
        """The tokenizer part of a GGUF file."""
        sp = self.pieces
        normal, unknown, control, byte = 1, 2, 3, 6
        kinds = [unknown if sp.is_unknown(i) else control if sp.is_control(i) else byte if sp.is_byte(i) else normal for i in range(len(self))]
        return {
            "tokenizer.ggml.model": "llama",
            "tokenizer.ggml.tokens": [sp.id_to_piece(i) for i in range(len(self))],
            "tokenizer.ggml.scores": [float(sp.get_score(i)) for i in range(len(self))],
            "tokenizer.ggml.token_type": kinds,
            "tokenizer.ggml.bos_token_id": sp.bos_id(),
            "tokenizer.ggml.eos_token_id": self.end,
            "tokenizer.ggml.unknown_token_id": sp.unk_id(),
            "tokenizer.ggml.add_bos_token": True,
            "tokenizer.ggml.add_space_prefix": False,
            "tokenizer.chat_template": CHAT_TEMPLATE,
        }
