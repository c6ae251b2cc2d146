"""What Math.Find asks for: seven kinds, in the order in which the official data ask for them."""

from collections.abc import Callable

# kind → its name in the question, and how it is found in the sorted list and the sorted set
FIND_KINDS: dict[str, tuple[str, Callable[[list[int], list[int]], int]]] = {
    "max": ("largest number", lambda numbers, distinct: distinct[-1]),
    "2nd max": ("second largest number", lambda numbers, distinct: distinct[-2]),
    "3rd max": ("third largest number", lambda numbers, distinct: distinct[-3]),
    "min": ("smallest number", lambda numbers, distinct: distinct[0]),
    "2nd min": ("second smallest number", lambda numbers, distinct: distinct[1]),
    "3rd min": ("third smallest number", lambda numbers, distinct: distinct[2]),
    "median": ("median", lambda numbers, distinct: numbers[len(numbers) // 2]),
}
