"""Words that say whether a message goes on with what was answered, in the languages we read.

Each list is a pattern that is looked for in the message as it was typed.
"""

from __future__ import annotations

import re

_GREETING = (
    r"(?:(?:ok(?:ay)?|great|good|nice|perfect|cool|thanks?(?: you)?|thx|ty|awesome|excellent|super"
    r"|danke|gut|prima|schön|merci|bien|parfait|gracias|bueno|vale|perfecto|obrigad[oa]|grazie"
    r"|(?:feels?|looks?|works?|sounds?|seems) (?:good|great|fine|better|nice|ok(?:ay)?)|almost"
    r"|hm+|oh|ah|well|yes|yeah|yep|sure|ja|oui|sí|si|sim|alright|right|please|pls|bitte|hey)\b"
    r"[\s,.!;:–—-]*)"
)
"""What may stand before the words that count: `great, now …`."""


def _opening(*words: str) -> re.Pattern[str]:
    return re.compile(rf"^\W*{_GREETING}*(?P<cue>{'|'.join(words)})(?![\w-])", re.I)


def _anywhere(*words: str, cjk: str = "") -> re.Pattern[str]:
    written = rf"\b(?P<cue>{'|'.join(words)})(?![\w-])"
    return re.compile(f"{written}|(?P<sign>{cjk})" if cjk else written, re.I)


ADDING = _opening(
    "and", "also", "plus", "but", "or", "now also", "then also", "additionally", "besides",
    "except", "und", "auch", "außerdem", "aber", "oder", "et", "aussi", "mais", "y", "también",
    "además", "pero", "e", "também", "mas", "anche", "ma", "jetzt auch", "jetzt noch", "noch",
    "ajoute aussi", "それと", "あと", "また", "还有", "另外", "也",
)  # fmt: skip
"""The message adds to the one before, or limits it."""

NOW = _opening(
    "now", "next", "then", "so", "jetzt", "dann", "nun", "maintenant", "ensuite", "alors",
    "puis", "ahora", "luego", "entonces", "agora", "depois", "então", "adesso", "ora", "poi",
    "次に", "次は", "今度は", "接下来", "现在", "然后",
)  # fmt: skip
"""The message comes after the one before, whatever it is about."""

OBJECTING = re.compile(
    r"^\W*(?:(?:no+|nope|nah|wait|actually|sorry|hmm+|instead|rather|not|nein|doch|moment|halt"
    r"|eigentlich|nicht|lieber|stattdessen|non|attends|plutôt|en fait|pas|espera|mejor|não|melhor"
    r"|aspetta|invece|meglio|いや|いいえ|違|不|不是|别)\b|いや|いいえ|違|不|别)"
    r"|\b(?P<cue>that'?s (?:not|wrong)|that is (?:not|wrong)|isn'?t what i|not what i|i meant"
    r"|i said|you (?:forgot|missed|broke|skipped|left|didn'?t|wrote|removed|used|changed|said)"
    r"|(?:still|again) (?:fails?|failing|broken|wrong|not|doesn'?t|does not|slow|get|getting|see"
    r"|the same|red|crash\w*)|(?:doesn'?t|does not|didn'?t|did not) (?:work|help|compile|run)"
    r"|didn'?t (?:do|change)|same (?:error|problem|result)|wrong one|instead|rather|undo|revert"
    r"|roll (?:it|that) back|geht (?:immer noch )?nicht|funktioniert nicht|immer noch|das ist falsch"
    r"|statt|stattdessen|lieber|marche (?:pas|toujours pas)|toujours|plutôt|sigue|no funciona"
    r"|en vez de|em vez|non funziona)\b",
    re.I,
)
"""The message corrects the answer or says that it did not help."""

ABOUT_IT = re.compile(
    r"\b(?P<cue>shorter|longer|simpler|clearer|briefer|smaller|bigger|faster version|tighter"
    r"|friendlier|stricter|more (?:detail\w*|concise|formal|casual|examples?|specific|readable"
    r"|generic|verbose|friendly|info\w*|options?|ideas?|of (?:that|those|them))"
    r"|less (?:\w+)|in (?:more )?(?:english|german|french|spanish|italian|portuguese|japanese"
    r"|chinese|dutch|plain (?:words|english)|simple (?:words|terms)|detail|short|bullets?"
    r"|bullet points|one (?:line|sentence|paragraph)|two (?:lines|sentences)|prose|a table)"
    r"|as (?:a )?(?:table|list|json|csv|markdown|yaml|bullets?|bullet points|diagram|diff|patch)"
    r"|why (?:not|that|so|though|did you|do you|is that)|how so|how come|are you sure|really"
    r"|you sure|what do you mean|meaning\?|such as|like what|for example\?|go (?:on|ahead)"
    r"|continue|keep going|elaborate|proceed|say (?:that|more)|tell me more|once more|try again"
    r"|redo|retry|do (?:that|it|so|this|them|both|all)|apply (?:it|that|them|this|all|those|the fix)"
    r"|looks? (?:good|fine|great)|lgtm|good enough|one more|a few more|two more|another (?:one|two)"
    r"|same (?:thing|for|with|but)|the same|the rest|the others?|the remaining|all of them|both"
    r"|any (?:others?|other ones?|more)|anything else (?:wrong|to|you)|what else|while you'?re at it"
    r"|you (?:just|suggested|mentioned|wrote|found|made|listed|proposed|recommended)|your (?:last"
    r"|answer|suggestion|change\w*|fix|patch|draft|version|plan|list|query|proposal|report|summary)"
    r"|above|previous|from before|earlier|kürzer|länger|einfacher|auf (?:deutsch|englisch"
    r"|französisch)|als (?:tabelle|liste)|genauer|ausführlicher|warum(?: nicht)?\?|wieso|weiter"
    r"|nochmal|noch ?(?:einen|eine|eins|mal|ein)|das gleiche|dasselbe|mach das|plus (?:court|long|simple"
    r"|détaillé)|en (?:français|anglais|allemand|espagnol|inglés|español|alemán|francés|português)"
    r"|pourquoi|encore(?: une?)?|la même chose|pareil|más (?:corto|largo|simple|detalle)|por qué"
    r"|otro|otra vez|lo mismo|mais (?:curto|detalhes)|por quê|o mesmo|più (?:corto|breve)|perché"
    r"|lo stesso)(?![\w-])|(?P<sign>もっと|短く|詳しく|なぜ|どうして|続けて|同じ|英語で|日本語で"
    r"|更短|短一点|简短|详细|为什么|继续|同样|用中文|用英文|再)",
    re.I,
)
"""The message is about the answer: its length, its form, its reasons, more of it."""

AS_WELL = _anywhere(
    "too", "as well", "also", "this time", "again", "instead", "either", "auch", "ebenfalls",
    "noch", "wieder", "aussi", "également", "encore", "también", "además", "también", "também",
    "anche", cjk="も|也|还",
)  # fmt: skip
"""The message puts something beside what was done, anywhere in it."""

BARE_WHY = re.compile(
    r"^\W*(?:(?:but|and|ok(?:ay)?|und|aber|et|mais|y|pero)[,\s]+)*(?:why|how|how so|how come|what"
    r"|where|when|which(?: one)?|huh|really|and\??|since when|says who|warum|wieso|wie|wo|pourquoi"
    r"|comment|où|por ?qu[eé]|c[oó]mo|d[oó]nde|perch[eé]|なぜ|なんで|どこ|为什么|怎么)\W*$",
    re.I,
)
"""A question of one word has no matter of its own."""

AGREEING = re.compile(
    r"^\W*(?:(?:yes|yep|yeah|yup|sure|ok(?:ay)?|please|go|go ahead|go for it|do it|do that|do so"
    r"|sounds (?:good|great|right)|no|nope|not (?:yet|now|really)|ja|klar|gern(?:e)?|nein|mach das"
    r"|mach mal|bitte|oui|vas-?y|d'accord|non|s[ií]|claro|dale|adelante|sim|certo|va bene|agreed"
    r"|correct|exactly|right|genau|both|all(?: of them)?|either|はい|お願いします|いいえ|好|好的|是的"
    r"|可以|行)(?![\w'])[\s,.!]*)+",
    re.I,
)
"""The message answers a question, at least its beginning does."""

NEW_TASK = re.compile(
    r"\b(?P<cue>new (?:task|topic|request|question|thing|subject|job|project|issue)|something else"
    r"|something (?:completely |totally |entirely )?(?:different|unrelated)|(?:a )?different (?:topic"
    r"|task|question|thing|subject|matter|problem)|another (?:topic|task|question|thing|subject"
    r"|matter)|unrelated|off[- ]topic|on another note|switching (?:gears|topics?)|change of topic"
    r"|moving on|let'?s move on|forget (?:that|it|about|the)|never ?mind|leave (?:that|it)|enough of"
    r"|done with (?:that|this)|that'?s (?:it|all|done)|by the way|btw|separately|separate (?:thing"
    r"|issue|question|topic)|totally different|back to (?:work|the)|meanwhile|other than that"
    r"|neue (?:aufgabe|frage)|neues thema|(?:et)?was (?:ganz )?ander(?:e|es)|themawechsel|übrigens"
    r"|andere frage|anderes thema|autre chose|autre sujet|nouvelle (?:tâche|question)|rien à voir"
    r"|au fait|otra cosa|otro tema|nueva tarea|cambiando de tema|por cierto|outra coisa"
    r"|outro assunto|nova tarefa|mudando de assunto|altra cosa|cambiando argomento|nuovo compito)"
    r"(?![\w-])|(?P<sign>別の|別件|話は変わ|ところで|换个话题|另一个问题|新任务|别的事|换一个)",
    re.I,
)
"""The message says that it is about something else."""

YOU = re.compile(
    r"\b(?P<cue>(?:did|didn'?t|have|haven'?t|were|are) you|(?:what|how|why|which|where|when)"
    r"(?: \w+)? (?:would|do|did|should|have|are) you|(?:hast|habt|würdest) du|(?:as|avez)[- ](?:tu|vous)"
    r"|has (?:hecho|usado|cambiado)|you (?:think|like|prefer|recommend|suggest|mean))\b",
    re.I,
)
"""The message asks the agent about itself."""

HERE = re.compile(
    r"\b(?:this|the|our|my|your) (?:repo(?:sitory)?|project|codebase|code base)\b", re.I
)

FRAGMENT = re.compile(
    r"^\W*(?:(?:only|just|but|not|nur|aber|seulement|mais|solo|pero|apenas)\s+)*(?P<cue>in|for|with"
    r"|without|as|on|to|from|by|using|under|until|only|just|at|per|instead|except|für|mit|ohne|als"
    r"|auf|aus|bei|nur|pour|avec|sans|en|comme|dans|para|con|sin|como|com|sem|senza|come"
    r"|less|more|fewer|max(?:imum)?|at (?:least|most))\b",
    re.I,
)
"""The message begins in the middle of a sentence."""

QUESTION = re.compile(
    r"^\W*(?:what|how|which|where|who|when|why|is|are|was|were|does|do|did|can|could|should|would"
    r"|will|has|have|any|was|wie|wer|wo|wann|welche[rsnm]?|ist|sind|kann|gibt|que|quel(?:le)?|où|qui"
    r"|combien|est-ce|qué|cuál|cómo|cuánto|quién|hay)\b",
    re.I,
)
"""The message begins as a question."""
