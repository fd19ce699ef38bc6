"""Which models are kin, by their names: a judge may favour its own family.

A model whose name fits no pattern is of no known family, and kin to no other model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

FAMILIES: Mapping[str, str] = {
    "OpenAI": r"gpt-?\d|gpt-oss|chatgpt|\bo[1-9](-|$)|davinci|codex",
    "Anthropic": r"claude",
    "Google": r"gemini|gemma|palm|learnlm",
    "Meta": r"llama",
    "Mistral": r"mistral|mixtral|magistral|ministral|codestral|devstral|pixtral",
    "DeepSeek": r"deepseek",
    "Alibaba": r"qwen|qwq|qvq|tongyi",
    "xAI": r"grok",
    "Microsoft": r"\bphi-?\d|wizardlm|\bmai-",
    "Cohere": r"command-|\bc4ai|aya-",
    "Zhipu": r"\bglm-?\d|chatglm",
    "Moonshot": r"kimi|moonshot",
    "MiniMax": r"minimax",
    "Amazon": r"\bnova-|titan-",
    "NVIDIA": r"nemotron",
    "IBM": r"granite",
    "01.AI": r"\byi-",
    "AI21": r"jamba|jurassic",
    "AllenAI": r"olmo|tulu",
    "Hugging Face": r"smollm|zephyr",
    "Tencent": r"hunyuan",
    "Baidu": r"ernie",
    "ByteDance": r"doubao|\bseed-",
}
"""Patterns for what each family calls its models. The first that fits is taken, unless the model is
distilled from one of DeepSeek's: `deepseek-r1-distill-llama` is of its teacher's family."""

_LOOKS = {family: re.compile(pattern) for family, pattern in FAMILIES.items()}
_TAUGHT = "distill"


def family_of(model: str) -> str | None:
    """The family of a model by its name, `provider:name`; None if it is not known."""
    name = bare(model)
    found = [family for family, looks in _LOOKS.items() if looks.search(name)]
    if _TAUGHT in name and "DeepSeek" in found:
        return "DeepSeek"
    return found[0] if found else None


def is_same_model(one: str, other: str) -> bool:
    """Whether both are one model, whoever offers it."""
    return bare(one) == bare(other)


def bare(model: str) -> str:
    """The name of a model without who offers it: `llama-4` for `openrouter:meta-llama/llama-4`."""
    name = model.partition(":")[2] or model
    return name.rpartition("/")[2].lower()


def are_kin(one: str, other: str) -> bool:
    """Whether both are known to be of one family."""
    family = family_of(one)
    return family is not None and family == family_of(other)
