"""The headers that every response has."""

from tests.support.clients import Answer

POLICY = {
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'",
    "img-src 'self' data:", "connect-src 'self'", "form-action 'self'", "base-uri 'none'",
    "frame-ancestors 'none'",
}  # fmt: skip
ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains; preload",
}


def header_problems(
    response: Answer,
    *,
    resource: str = "same-origin",
    openers: tuple[str, ...] = ("same-origin",),
    over_https: bool = False,
) -> list[str]:
    """Which headers are wrong. ``resource``: who may read it. ``openers``: policies for windows
    that opened it. The response must have been read."""
    wanted = ALWAYS | {"Cross-Origin-Resource-Policy": resource}
    if not over_https:  # browsers would ignore it
        del wanted["Strict-Transport-Security"]
    wrong = [name for name, value in wanted.items() if response.headers.get(name) != value]
    if response.headers.get("Cross-Origin-Opener-Policy") not in openers:
        wrong.append("Cross-Origin-Opener-Policy")
    is_file = response.headers.get("Content-Disposition", "").startswith("attachment")
    if policy(response) != ({"sandbox"} if is_file else POLICY):
        wrong.append("Content-Security-Policy")
    if "Cache-Control" not in response.headers:
        wrong.append("Cache-Control")
    return wrong


def policy(response: Answer) -> set[str]:
    return set(response.headers.get("Content-Security-Policy", "").split("; "))
