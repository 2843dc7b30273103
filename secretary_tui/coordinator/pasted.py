"""What of a message is pasted: a log, a stack trace, the output of a command."""

from __future__ import annotations

import re

from secretary_tui.coordinator.referents import codes_in

_FEWEST_LINES = 4
_ERROR = re.compile(
    r"Traceback \(most|^\s*(?:at |File \")|\b\w*(?:Error|Exception)\b:|\b(?:ERROR|FATAL|panic)\b"
    r"|npm ERR!|^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\s*\d\d:\d\d:\d\d",
    re.M,
)
_PROSE = re.compile(r"[^\W\d_][^\d_(){}\[\]<>/\\=|]{0,120}")
_IDENTIFIER = re.compile(r"\w+(?:[._/:-]\w+)+|\w*[a-z]\w*[A-Z]\w*|\w+_\w+")
_ASKED_FOR = re.compile(
    r"\b(?:paste|send|share|post|show|provide|need|see|attach|copy|what does|do you (?:get|have)"
    r"|run|schick\w*|zeig\w*|brauche|poste|envoie\w*|colle\w*|montre\w*|env[ií]a\w*|pega\w*|muestra\w*"
    r"|manda|cole|incolla|invia)\b[^.!?\n]*\b(?:logs?|errors?|output|trace\w*|stack\w*|message|dump|result"
    r"|says?|prints?|console|lines?|text|protokoll\w*|fehler\w*|ausgabe\w*|meldung\w*|journa\w*|erreur\w*"
    r"|sortie|registro\w*|salida|saída|erro\w*|uscita)\b"
    r"|(?:ログ|エラー|出力)[^。\n]*(?:貼|見せ|送|ください)|(?:贴|发|提供)[^。\n]*(?:日志|报错|错误|输出)",
    re.I,
)


def is_pasted(message: str) -> bool:
    """Whether most of it was not typed: many lines, or some that a machine writes."""
    lines = message.strip().count("\n") + 1
    return lines > _FEWEST_LINES or (lines > 1 and _ERROR.search(message) is not None)


def typed_part(message: str) -> str:
    """What was typed: all of it, or the line before what is pasted."""
    if not is_pasted(message):
        return message
    first = message.strip().partition("\n")[0]
    is_prose = _PROSE.fullmatch(first) is not None and not _ERROR.search(first)
    return first if is_prose else ""


def is_asked_for(answer: str) -> bool:
    """Whether the end of an answer asks for a log, an error or the like."""
    return _ASKED_FOR.search(answer[-600:]) is not None


def identifiers(text: str) -> frozenset[str]:
    """Names as code and logs write them: `write_chunks`, `tax-service`, `app.jobs`."""
    names = (*_IDENTIFIER.findall(text), *codes_in(text))
    return frozenset(name.lower().removesuffix("()") for name in names if len(name) > 4)
