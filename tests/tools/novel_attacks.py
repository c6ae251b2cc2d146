"""What attacks gain on novels: ``python -m tests.tools.novel_attacks SEED TOKENS COUNT``."""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable

from scoring.baseline import read
from scoring.generators import RECIPES
from scoring.generators.example import Example, ExampleSpec
from scoring.metrics import score_example
from tests.scoring.generators.attacks import BY_OPTIONS, GREPS, Asked, best_sentences

Guess = Callable[[Asked], str | None]
Made = list[tuple[Example, Asked]]
_BEST = 30  # sentences
_MARKS = {"en": "Question: ", "zh": "问题："}


def examples(task: str, seed: int, tokens: int, count: int) -> Made:
    make = RECIPES[task].make
    found = []
    for index in range(count):
        one = make(ExampleSpec(seed, tokens, index, count))
        assert isinstance(one.answer, list)
        text = "".join(one.context)
        found.append(
            (one, Asked(str(one.kind), text, one.question, str(one.answer[0]), one.options))
        )
    return found


def points(task: str, made: Example, said: str | None) -> float:
    return (
        100
        * score_example(
            "strict",
            task,
            said or "",
            made.answer,
            options=made.options,
            answer_type=made.answer_type,
        ).score
    )


def means(task: str, made: Made, guess: Guess) -> dict[str, float]:
    """The mean of all, and of each kind, under ``strict``."""
    found: dict[str, list[float]] = defaultdict(list)
    for one, asked in made:
        score = points(task, one, guess(asked))
        found["all"].append(score)
        found[asked.kind].append(score)
    return {kind: sum(scores) / len(scores) for kind, scores in found.items()}


def best_constant(task: str, made: Made) -> tuple[float, str]:
    labels = Counter(asked.right for _, asked in made)
    words = (
        {word for label in labels for word in label.split()}
        if task.endswith("eng")
        else set("".join(labels))
    )
    tried = [*labels, *words]
    return max(
        (sum(points(task, one, said) for one, _ in made) / len(made), said) for said in tried
    )


def by_kind(made: Made) -> Guess:
    """Without the book: of each kind the label that is right most often in other releases."""
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    for _, asked in made:
        labels[asked.kind][asked.right] += 1
    best = {kind: counts.most_common(1)[0][0] for kind, counts in labels.items()}
    return lambda asked: best[asked.kind]


def reader_on(text: Callable[[Asked], str]) -> Guess:
    """Letters stand before options, as in a prompt."""

    def guess(asked: Asked) -> str:
        options = "".join(
            f"\n{letter}. {option}" for letter, option in zip("ABCD", asked.options, strict=False)
        )
        return read(f"{text(asked)}\n\n{_MARKS[asked.language]}{asked.question}{options}")

    return guess


def report(seed: int, tokens: int, count: int) -> None:
    for task in ("longbook_qa_eng", "longbook_qa_chn"):
        made = examples(task, seed, tokens, count)
        score, said = best_constant(task, made[: min(count, 80)])
        print(f"{task}, {tokens:,} tokens: best constant {score:.1f} ({said})")
        attacks: dict[str, Guess] = {
            "best label of each kind, of another seed": by_kind(
                examples(task, seed + 1, 4_000, 400)
            ),
            **{str(grep): grep.answer for grep in GREPS},
            "BM25@30, then the reader by rules": reader_on(
                lambda asked: best_sentences(asked, _BEST)
            ),
            "the reader by rules": reader_on(lambda asked: asked.text),
        }
        _print(task, made, attacks)
        evidence = [
            (
                one,
                Asked(a.kind, "\n".join(a.text[x:y] for x, y in one.evidence), a.question, a.right),
            )
            for one, a in made
        ]
        _print(
            task,
            evidence,
            {"evidence only, the reader by rules": reader_on(lambda asked: asked.text)},
        )
    task = "longbook_choice_eng"
    made = examples(task, seed, tokens, count)
    letters = {name: lettered(guess) for name, guess in BY_OPTIONS.items()}
    _print(task, made, letters)


def lettered(guess: Guess) -> Guess:
    def letter(asked: Asked) -> str | None:
        said = guess(asked) or ""
        return "ABCD"[asked.options.index(said)] if said in asked.options else None

    return letter


def _print(task: str, made: Made, attacks: dict[str, Guess]) -> None:
    for name, guess in attacks.items():
        found = means(task, made, guess)
        kinds = "  ".join(f"{kind} {score:.0f}" for kind, score in found.items() if kind != "all")
        print(f"  {task} {name}: {found['all']:.1f}   ({kinds})")


if __name__ == "__main__":
    report(*map(int, sys.argv[1:]))
