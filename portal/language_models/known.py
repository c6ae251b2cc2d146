"""What is known about language models that publications name: their spelling, maker and facts.

Publications spell one model in many ways, and include what was built around it in its name. Every
fact has the address where it can be read; what no such source says is left out. K and M in a source
are thousands and millions.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownModel:
    """``source``: the address where all of the facts can be read."""

    source: str
    organisation: str = ""
    weights: str = ""  # open, closed
    parameters: str = ""
    context_window: int | None = None  # tokens, as claimed
    licence: str = ""
    released: str = ""  # 2024-07-23; less where the source says less

    def facts(self) -> dict[str, str | int]:
        """By field of a language model."""
        found = {
            "organisation": self.organisation,
            "weights": self.weights,
            "parameters": self.parameters,
            "context_window": self.context_window,
            "licence": self.licence,
            "released": self.released,
        }
        return {name: value for name, value in found.items() if value}


UNKNOWN = KnownModel("")
_BENCH = "https://arxiv.org/abs/2402.13718"
_LLAMA_3 = "https://github.com/meta-llama/llama-models/blob/main/models/llama3/MODEL_CARD.md"
_LLAMA_31 = "https://github.com/meta-llama/llama-models/blob/main/models/llama3_1/MODEL_CARD.md"
_LLAMA_32 = "https://github.com/meta-llama/llama-models/blob/main/models/llama3_2/MODEL_CARD.md"
_YI = "https://github.com/01-ai/Yi/blob/main/README.md"
_HUB = "https://huggingface.co"
_UTK = "https://rgtjf.github.io/Untie-the-Knots/"


def _llama_31(parameters: str) -> KnownModel:
    licence = "Llama 3.1 Community License"
    return KnownModel(_LLAMA_31, "Meta", "open", parameters, 128_000, licence, "2024-07-23")


def _llama_32(parameters: str) -> KnownModel:
    licence = "Llama 3.2 Community License"
    return KnownModel(_LLAMA_32, "Meta", "open", parameters, 128_000, licence, "2024-09-25")


# fmt: off
KNOWN_MODELS: Mapping[str, KnownModel] = {
    "GPT-4 (1106-preview)": KnownModel(
        "https://openai.com/index/new-models-and-developer-products-announced-at-devday/",
        "OpenAI", "closed", context_window=128_000, released="2023-11-06",
    ),
    "GPT-4": KnownModel("https://arxiv.org/abs/2303.08774", "OpenAI", "closed"),
    "GPT-4-Turbo-2024-04-09": KnownModel(
        "https://platform.openai.com/docs/models/gpt-4-turbo", "OpenAI", "closed",
        context_window=128_000,
    ),
    "GPT-4o": KnownModel(
        "https://openai.com/index/hello-gpt-4o/", "OpenAI", "closed", released="2024-05-13",
    ),
    "Claude 2": KnownModel(
        "https://www.anthropic.com/news/claude-2", "Anthropic", "closed",
        context_window=100_000, released="2023-07-11",
    ),
    "Claude 3.5 Sonnet": KnownModel(
        "https://www.anthropic.com/news/claude-3-5-sonnet", "Anthropic", "closed",
        context_window=200_000, released="2024-06",
    ),
    "Kimi-Chat": KnownModel(_BENCH, "Moonshot AI", "closed"),
    "YaRN-Mistral-7B-128K": KnownModel(
        f"{_HUB}/NousResearch/Yarn-Mistral-7b-128k", "NousResearch", "open", "7B", 128_000,
        "Apache-2.0",
    ),
    "Yi-6B-200K": KnownModel(_YI, "01.AI", "open", "6B", 200_000, "Apache-2.0", "2023-11-05"),
    "Yi-9B-200K": KnownModel(_YI, "01.AI", "open", "9B", 200_000, "Apache-2.0", "2024-03-16"),
    "Yi-34B-200K": KnownModel(_YI, "01.AI", "open", "34B", 200_000, "Apache-2.0", "2023-11-05"),
    "ChatGLM3-6B-128K": KnownModel(
        f"{_HUB}/THUDM/chatglm3-6b-128k", "Zhipu AI", "open", "6B", 128_000,
    ),
    "GLM-4-9B-Chat-1M": KnownModel(
        f"{_HUB}/THUDM/glm-4-9b-chat-1m", "Zhipu AI", "open", "9B", 1_000_000, "GLM-4 License",
    ),
    "MiniCPM-2B-128k": KnownModel(
        f"{_HUB}/openbmb/MiniCPM-2B-128k", "OpenBMB", "open", "2.4B (without embeddings)", 128_000,
    ),
    "Llama-3-8B-Instruct": KnownModel(
        _LLAMA_3, "Meta", "open", "8B", 8_000, "Meta Llama 3 Community License", "2024-04-18",
    ),
    "Llama-3-8B-Instruct-262k": KnownModel(
        f"{_HUB}/gradientai/Llama-3-8B-Instruct-262k", "Gradient", "open", "8B",
    ),
    "Llama-3-70B-Instruct-Gradient-262k": KnownModel(
        f"{_HUB}/gradientai/Llama-3-70B-Instruct-Gradient-262k", "Gradient", "open", "70B",
    ),
    "Llama-3.1-8B-Instruct": _llama_31("8B"),
    "Llama-3.1-70B-Instruct": _llama_31("70B"),
    "Llama-3.1-405B-Instruct": _llama_31("405B"),
    "Llama-3.2-1B-Instruct": _llama_32("1.23B"),
    "Llama-3.2-3B-Instruct": _llama_32("3.21B"),
    "Llama3-ChatQA-2-8B": KnownModel(
        f"{_HUB}/nvidia/Llama3-ChatQA-2-8B", "NVIDIA", "open", "8B", 128_000,
    ),
    "Llama3-ChatQA-2-70B": KnownModel(
        f"{_HUB}/nvidia/Llama3-ChatQA-2-70B", "NVIDIA", "open", "70B", 128_000,
    ),
    "Phi-3.5-mini-instruct": KnownModel(
        f"{_HUB}/microsoft/Phi-3.5-mini-instruct", "Microsoft", "open", "3.8B", 128_000, "MIT",
        "2024-08",
    ),
    "Qwen2-7B-Instruct": KnownModel(
        f"{_HUB}/Qwen/Qwen2-7B-Instruct", "Alibaba", "open", "7B", 131_072, "Apache-2.0",
    ),
    "Qwen2-72B-Instruct": KnownModel(
        f"{_HUB}/Qwen/Qwen2-72B-Instruct", "Alibaba", "open", "72B", 131_072,
    ),
    "Qwen2-UtK-ChatQA2-7B-128K": KnownModel(_UTK, "Xiaohongshu", "open", "7B", 128_000),
    "Qwen2-UtK-ChatQA2-72B-128K": KnownModel(_UTK, "Xiaohongshu", "open", "72B", 128_000),
}

# What publications write → the language model, and the method around it. “The Llama 3 Herd of
# Models” calls the models of Llama 3.1 “Llama 3” for short.
SPELLINGS: Mapping[str, tuple[str, str]] = {
    "MiniCPM-2.4B-128k": ("MiniCPM-2B-128k", ""),
    "GLM-4-9B-1M": ("GLM-4-9B-Chat-1M", ""),
    "LLaMA-3-8B-Instruct-262K": ("Llama-3-8B-Instruct-262k", ""),
    "LLaMA-3-8B-262K + MInference": ("Llama-3-8B-Instruct-262k", "MInference"),
    "LLaMA-3-8B-262K + InfLLM": ("Llama-3-8B-Instruct-262k", "InfLLM"),
    "LLaMA-3-8B-262K + StreamingLLM": ("Llama-3-8B-Instruct-262k", "StreamingLLM"),
    "Llama-3-8B-Instruct (8K native)": ("Llama-3-8B-Instruct", ""),
    "Meta-Llama-3-8B-Instruct (8K)": ("Llama-3-8B-Instruct", ""),
    "Llama-3.1-8B-Instruct (CommVQ FP16 baseline)": ("Llama-3.1-8B-Instruct", ""),
    "Llama-3.1-8B (NACL full)": ("Llama-3.1-8B-Instruct", ""),
    "LLaMa-3.1-8B full-context (EM-LLM)": ("Llama-3.1-8B-Instruct", ""),
    "LLaMa-3.1-8B + EM-LLM_S": ("Llama-3.1-8B-Instruct", "EM-LLM"),
    "LLaMa-3.1-8B + RAG NV-Embed-v2": ("Llama-3.1-8B-Instruct", "RAG, NV-Embed-v2"),
    "Llama3.1-8B-Instruct": ("Llama-3.1-8B-Instruct", ""),
    "Llama 3.1 8B Instruct": ("Llama-3.1-8B-Instruct", ""),
    "Llama 3 8B": ("Llama-3.1-8B-Instruct", ""),
    "Llama3.1-70B-Instruct": ("Llama-3.1-70B-Instruct", ""),
    "Llama 3 70B": ("Llama-3.1-70B-Instruct", ""),
    "Llama 3 405B": ("Llama-3.1-405B-Instruct", ""),
    "Llama 3.2 1B Instruct": ("Llama-3.2-1B-Instruct", ""),
    "Llama-3.2-1B-Instruct (DomGallego, 5 runs)": ("Llama-3.2-1B-Instruct", ""),
    "Llama 3.2 3B Instruct": ("Llama-3.2-3B-Instruct", ""),
    "Phi-3.5-mini-instruct (Meta measured)": ("Phi-3.5-mini-instruct", ""),
    "Qwen2-7B-Instruct (32K native)": ("Qwen2-7B-Instruct", ""),
    "Qwen2-7B + NTK": ("Qwen2-7B-Instruct", "NTK"),
    "Qwen2-7B + TokenSelect": ("Qwen2-7B-Instruct", "TokenSelect"),
}
# fmt: on


def split_published_name(published: str) -> tuple[str, str]:
    """The language model that a publication means, in our spelling, and the method."""
    return SPELLINGS.get(published, (published, ""))
