"""llama.cpp's own server on loopback: `python -m tests.acceptance.llama WEIGHTS [TEMPLATE]`.

Prints its address as its first line and serves until its standard input ends. The weights are those
of the embedded model with two of their thirty layers: what it says does not matter here, only what
it accepts, and so it reads a prompt ten times as fast.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Sequence
from pathlib import Path

import xllamacpp

LAYERS = (0, 29)
"""Without the last one it says nothing but blanks, which is what a model does that only thinks."""
CONTEXT = 8192
STRICT = """\
{%- set rest = messages[1:] if messages[0]['role'] == 'system' else messages -%}
{%- if messages[0]['role'] == 'system' %}<|im_start|>system
{{ messages[0]['content'] }}<|im_end|>
{% endif -%}
{%- for message in rest -%}
{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
{{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') -}}
{%- endif -%}
{%- if not message['content'] | trim -%}{{- raise_exception('A message is blank') -}}{%- endif -%}
<|im_start|>{{ message['role'] }}
{{ message['content'] }}<|im_end|>
{% endfor -%}
{%- if messages[-1]['role'] != 'user' -%}
{{- raise_exception('The last message must be the user') -}}
{%- endif -%}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif -%}
"""
"""Wants what Gemma's and Mistral's templates want: one system message at most, and that first;
roles in turn, beginning and ending with the user; nothing blank."""

_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_STRING, _ARRAY = 8, 9


class Weights:
    """A GGUF file as far as needed to leave layers out of it: header, facts, tensors, data."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        tensors, facts = struct.unpack_from("<QQ", self._data, 8)
        self._at = 24
        self._count_at = 0
        self._align = 32
        for _ in range(facts):
            self._fact()
        self._facts_end = self._at
        self._tensors = [self._tensor() for _ in range(tensors)]
        self._begin = self._at + -self._at % self._align

    def write(self, path: Path, layers: Sequence[int]) -> None:
        """The same with these layers only."""
        offsets = sorted(offset for _, _, offset in self._tensors)
        ends = dict(zip(offsets, [*offsets[1:], len(self._data) - self._begin], strict=True))
        kept = [one for one in self._tensors if _layer(one[0]) in (None, *layers)]
        head = bytearray(self._data[: self._facts_end])
        struct.pack_into("<Q", head, 8, len(kept))
        struct.pack_into("<I", head, self._count_at, len(layers))
        blob = bytearray()
        for name, shape, offset in kept:
            layer = _layer(name)
            if layer is not None:
                name = name.replace(f"blk.{layer}.", f"blk.{layers.index(layer)}.")  # noqa: PLW2901
            raw = name.encode()
            head += struct.pack("<Q", len(raw)) + raw + shape + struct.pack("<Q", len(blob))
            blob += self._data[self._begin + offset : self._begin + ends[offset]]
            blob += bytes(-len(blob) % self._align)
        head += bytes(-len(head) % self._align)
        path.write_bytes(head + blob)

    def _take(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return int(value)

    def _text(self) -> str:
        size = self._take("<Q")
        self._at += size
        return self._data[self._at - size : self._at].decode()

    def _fact(self) -> None:
        name, kind = self._text(), self._take("<I")
        if name.endswith(".block_count"):
            self._count_at = self._at
        self._skip(kind)

    def _skip(self, kind: int) -> None:
        if kind == _STRING:
            self._text()
        elif kind == _ARRAY:
            of, count = self._take("<I"), self._take("<Q")
            for _ in range(count):
                self._skip(of)
        else:
            self._at += _SIZES[kind]

    def _tensor(self) -> tuple[str, bytes, int]:
        name, begin = self._text(), self._at
        dimensions = self._take("<I")
        self._at += 8 * dimensions + 4
        return name, self._data[begin : self._at], self._take("<Q")


def _layer(name: str) -> int | None:
    """The layer a tensor belongs to; None for those that all need."""
    return int(name.split(".")[1]) if name.startswith("blk.") else None


def main(weights: str, template: str = "") -> None:
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.model_alias = {"smollm2"}
    params.verbosity = -1
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.ui = params.endpoint_slots = params.warmup = params.fit_params = False
    params.n_parallel, params.n_ctx = 2, 2 * CONTEXT
    # More threads would spin and slow each other down beside another worker of the suite.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.use_jinja = True
    # Or a history that ends with the assistant would not be shown to the template as it is.
    params.prefill_assistant = False
    if template:
        params.chat_template = Path(template).read_text()
    server = xllamacpp.Server(params)
    sys.stdout.write(server.listening_address + "\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
