"""What the words of a request do in it: name a deed, a matter, a fault, or nothing in particular.

The lists hold English words by their stems and German, French, Spanish, Italian and Portuguese ones
as they are typed, without accents. A word that stands in none of them names something.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from secretary_tui.routing.words.terms import STOP_WORDS


class Sort(Enum):
    """What a word does in a request."""

    NAME = auto()
    """It names something: `login`, `src/app.py`."""
    GENERIC = auto()
    """It could be anything: `code`, `app`, `bug`."""
    POINTER = auto()
    """It stands for something else: `it`, `this`, `everything`."""
    DETERMINER = auto()
    PREPOSITION = auto()
    FILLER = auto()
    QUESTION = auto()
    """It opens a question: `why`, `where`."""
    STATE = auto()
    """It says how something is: `is`, `doesn't`."""
    FAULT = auto()
    """`broken`, `slow`, `crash`."""
    QUALITY = auto()
    """`better`, `nicer`: nobody knows what is meant by that."""
    SPEED = auto()
    HELP = auto()
    IMPROVE = auto()
    FIX = auto()
    TIDY = auto()
    """To do something over, with the same outcome: `refactor`, `clean`, `update`."""
    CHANGE = auto()
    """To do something to a thing, without saying what."""
    MAKE = auto()
    """To make something new."""
    ALONE = auto()
    """A deed that needs no object: `commit`."""
    DEED = auto()
    """Any other deed."""


DEEDS = frozenset({
    Sort.HELP, Sort.IMPROVE, Sort.FIX, Sort.TIDY, Sort.CHANGE, Sort.MAKE, Sort.ALONE, Sort.DEED,
})  # fmt: skip
"""What verbs are."""

_ENGLISH: Mapping[Sort, str] = {
    Sort.POINTER: """it this that them these those everything something anything nothing everywhere all stuff thing
        things smth sth one ones whole rest""",
    Sort.DETERMINER: """a an the this that these those my our your its their some any all every each
        no another both more""",
    Sort.PREPOSITION: "of for in with on at by from about into as",
    Sort.FILLER: """please pls plz kindly new need needs take just really maybe perhaps somehow bit little lot much very
        and or also now ok okay so then still too up over hey hi im ill id youre well etc there
        here not user users lets gonna wanna idea ideas way kinda like quickly asap today""",
    Sort.QUESTION: "how what why when where which who whose whats wheres hows whos",
    Sort.STATE: """is are am was were isnt arent wasnt doesnt dont didnt wont cant has have had isn aren
        doesn don didn won keeps keep gets get got seems looks does did should theres out after
        before if only until since always sometimes again never""",
    Sort.FAULT: """broken broke slow sluggish crash crashes crashed crashing fail fails failed failing
        failure hang hangs freeze freezes leak leaks leaking timeout flaky wrong weird bad ugly
        laggy stuck off missing empty blank twice duplicate corrupt unresponsive deadlock outage""",
    Sort.QUALITY: """better best good great nice nicer nicely pretty prettier clean cleaner perfect
        awesome modern proper properly right beautiful work works working robust simple simpler
        improvement improvements professional cool finished""",
    Sort.SPEED: "fast faster quick quicker efficient performant speed",
    Sort.GENERIC: """code codebase app apps application applications project projects program
        programs software site website webapp web system repo repository file files function
        functions method class module component script scripts tool tools feature features bug bugs
        issue issues problem problems error errors exception mistake mistakes mess product service
        page pages part parts line lines change changes work question task topic logic implementation
        solution""",
    Sort.HELP: "help assist support assistance",
    Sort.IMPROVE: "improve enhance better beautify boost",
    Sort.FIX: "fix repair solve resolve correct deal sort handle address tackle patch",
    Sort.TIDY: """clean tidy cleanup refactor restructure reorganize reorganise optimize optimise
        simplify modernize modernise rewrite redo polish update upgrade speed overhaul revamp
        streamline accelerate finish complete""",
    Sort.CHANGE: "change modify adjust tweak rework alter edit work look touch",
    Sort.MAKE: """make write create build add implement develop generate design draft code program
        produce compose craft prepare prototype scaffold""",
    Sort.ALONE: """commit push deploy build release publish lint format ship compile undo revert pull
        merge rebase install rollback redeploy reboot restart stash""",
    Sort.DEED: """analyze analyse answer apply archive ask assess attach audit automate back backup
        benchmark block book bootstrap browse brainstorm bring bump cache calculate call cancel
        center centre check choose classify close collect combine come compare compress compute
        configure connect containerize convert copy count cover crawl cut debug decide decrypt define
        delete describe detect determine diagnose diff disable discuss display dockerize document
        download draw drop dump embed emulate enable encrypt enforce ensure estimate evaluate
        examine execute expand explain explore export expose extend extract fetch figure fill filter
        find finetune flatten forecast fork give go grep group guard guess harden hide highlight
        host identify import increase index inline inject inspect instrument integrate introduce
        investigate invite invoke isolate join judge keep kill label launch learn let limit link list
        load localize localise locate lock log lower map mark measure migrate mirror mock model
        monitor mount move name negotiate normalize note notify open orchestrate order organize
        outline package parallelize parse paste pick pin pitch plan play plot port predict present
        prevent print prioritize process profile prompt proofread propose protect prove provide
        provision prune put query raise randomize rank read recommend reconcile record recover
        reduce register reject reload remind remove rename render reorder repeat replace reply report
        reproduce request research reset resize resolve restore retry return reuse review rotate
        round route run sanitize save scale scan schedule scrape search secure seed select sell send
        separate serve set setup share show shorten shrink sign simulate sketch skip sort speak split
        squash stage start stop store study stub style submit subscribe suggest summarise summarize
        swap switch sync synchronize tag take teach tell test throttle time toggle trace track train
        transcribe transform translate transpile trigger trim troubleshoot try tune turn type
        uninstall unify unlock upload use validate verify version view visualize visualise
        wait walk warm warn watch wire wrap zip increment dedupe lazy memoize paginate""",
}
_FOREIGN: Mapping[Sort, str] = {
    Sort.POINTER: """das es dies alles etwas ihn sie was ca cela tout ceci eso esto todo lo ello algo
        questo tutto isto isso tudo ding dinge sache sachen truc trucs chose choses cosa cosas""",
    Sort.DETERMINER: """der die das den dem des ein eine einen einem einer mein meine meinen meiner
        unser unsere unseren le la les l un une du mon ma mes notre nos ce cette ces el los las una
        unos unas mi mis nuestro nuestra este esta il lo gli uno mio mia uma meu minha""",
    Sort.PREPOSITION: """von fur mit in im auf an zu bei am vom zum zur de d des dans pour avec sur a
        au aux en para con del al por di nel na em uber""",
    Sort.FILLER: """bitte mal doch so auch nochmal kannst konntest du mir ich wir brauche mochte will
        habe hab man noch jetzt etwas ganz sehr auf um zusammen s il te vous plait svp peux pouvez tu
        je j ai ay besoin moi nous voudrais veux encore mas plus puedes podrias por favor yo sea ser
        necesito quiero me muy hay per puoi mi ho bisogno voglio preciso quero voce gibt da qu und et ne ich""",
    Sort.QUESTION: """wie was warum wieso wann wo welche welcher welches wer comment pourquoi quand ou
        quel quelle quels qui que como porque cuando donde cual quien come perche quando dove
        porque onde""",
    Sort.STATE: """ist sind war nicht wird werden funktioniert stimmt geht lauft est sont marche pas
        fonctionne n no funciona esta estan son va non funziona sono nao""",
    Sort.FAULT: """kaputt langsam falsch fehlerhaft hangt absturz casse cassee lent lente faux plante
        mal roto rota lento falla rotto lenta quebrado""",
    Sort.QUALITY: "besser schoner gut schon mieux bien propre joli mejor bueno meglio melhor ordentlich",
    Sort.SPEED: "schnell schneller rapide vite rapido rapida veloce performanter",
    Sort.GENERIC: """fehler problem probleme programm projekt seite sache datei dateien funktion
        funktionen anwendung webseite website erreur erreurs probleme programme projet site page
        fichier fonction application appli codigo programa proyecto sitio pagina archivo funcion
        aplicacion error errores problema problemas codice progetto funzione sito progetto app""",
    Sort.HELP: """hilf hilfe helfen hilfst aide aider aidez aidemoi ayuda ayudame ayudar aiuto
        aiutami aiutare ajuda ajudar ajudame unterstutze""",
    Sort.IMPROVE: """verbessere verbessern verbessert verbesser ameliore ameliorer ameliorez
        mejora mejorar mejoralo mejorame migliora migliorare melhora melhorar melhore""",
    Sort.FIX: """repariere reparieren repariert behebe beheben korrigiere korrigieren lose losen
        fixe fixen corrige corriger corrigez repare reparer resous resoudre arregla arreglar
        arreglalo corregir repara reparar soluciona solucionar correggi ripara risolvi conserta
        corrigir resolver""",
    Sort.TIDY: """raume raum aufraumen optimiere optimieren refaktoriere vereinfache vereinfachen
        aktualisiere aktualisieren uberarbeite uberarbeiten modernisiere beschleunige beschleunigen
        nettoie nettoyer range optimise optimiser simplifie simplifier refactorise mets limpia
        limpiar ordena optimiza optimizar simplifica simplificar refactoriza actualiza actualizar
        pulisci ottimizza semplifica aggiorna limpar otimizar""",
    Sort.CHANGE: """andere andern verandere anpassen passe arbeite schau change changer modifie
        modifier cambia cambiar modifica modificar mira ajusta altera mudar""",
    Sort.MAKE: """schreib schreibe schreiben erstelle erstellen erzeuge mach mache machen baue bauen
        implementiere fuge fug hinzufugen programmiere generiere entwickle entwirf ecris ecrire cree
        creer ajoute ajouter genere implemente fais faire developpe escribe escribir crea crear anade
        anadir agrega genera implementa haz hazlo haga rends rend desarrolla scrivi scrivere aggiungi crie criar
        escreva adicione adiciona faz""",
    Sort.DEED: """erklare erklaren erklar prufe prufen pruf teste testen finde finden suche suchen
        zeige zeig zeigen fuhre fuhr ausfuhren starte starten losche loschen entferne entfernen
        ubersetze ubersetzen vergleiche vergleichen analysiere analysieren dokumentiere benenne
        umbenennen verschiebe fasse zusammenfassen ersetze installiere committe pushe deploye lies
        kopiere plane untersuche explique expliquer verifie verifier trouve chercher cherche montre
        lance lancer supprime supprimer traduis traduire compare renomme remplace resume resumer
        analyse execute executer demarre installe documente deploie explica explicar revisa revisar
        busca buscar muestra ejecuta ejecutar borra elimina traduce traducir compara renombra
        reemplaza resume analiza instala documenta despliega prueba spiega controlla esegui trova
        cerca traduci rinomina confronta explique verifique execute encontre traduza mostra""",
}
_VERBS = (
    *(Sort.HELP, Sort.IMPROVE, Sort.FIX, Sort.TIDY, Sort.CHANGE, Sort.MAKE, Sort.ALONE, Sort.DEED),
)
_OTHERS = (
    *(Sort.DETERMINER, Sort.POINTER, Sort.PREPOSITION, Sort.QUESTION, Sort.STATE, Sort.FAULT),
    *(Sort.QUALITY, Sort.SPEED, Sort.GENERIC, Sort.HELP, Sort.FILLER),
)
_FORMS: Mapping[Sort, frozenset[str]] = {
    sort: frozenset(f"{_ENGLISH.get(sort, '')} {_FOREIGN.get(sort, '')}".split())
    for sort in Sort
}
_ENGLISH_WORDS = frozenset(" ".join(_ENGLISH.values()).split())
_FOREIGN_VERBS = frozenset(
    " ".join(_FOREIGN[sort] for sort in _VERBS if sort in _FOREIGN).split()
) - _ENGLISH_WORDS
"""Verbs wherever they stand: German ends its sentences with them."""
_BEFORE_VERBS = frozenset("and then to or not und dann et puis y e luego or, you we i".split())
_FOLLOW_POINTERS = frozenset({Sort.NAME, Sort.GENERIC, Sort.FAULT, Sort.QUALITY, Sort.SPEED})

_TOKEN = re.compile(r"[\w@~][\w.@~/\\:+#-]*")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_IS = re.compile(r"\b(it|that|what|there|where|who|how|smth|something|thing)['’]s\b", re.I)
_CLITIC = re.compile(r"\b(?:[ldcnjsmqt]|qu)['’](?=\w)|-(?=(?:moi|le|la|les|nous|lui)\b)", re.I)
_PHRASES = (
    (re.compile(r"\b(?:take|have) (?:a |another )?(?:care of|look at|look)\b"
                r"|\blook at\b|\bwork on\b|\bdo something (?:about|with)\b", re.I), "change"),
    (re.compile(r"^\W*(?:(?:i|we)(?:['’]d| would)? (?:want|need|like)|ich (?:brauche|will|möchte)"
                r"|necesito|quiero|je (?:veux|voudrais)|j['’]ai besoin)"
                r" (?:d['’]une? |(?:an?|some|the|einen?|unos?|une?) )(?!\w*help\b)", re.I), "create a "),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a request."""

    text: str
    """As typed."""
    key: str
    """In lower case and without accents."""
    sort: Sort
    stands_alone: bool = False
    """Whether it is a verb that needs no object."""


def read_words(request: str) -> tuple[Word, ...]:
    """Tell what each word of a request does in it."""
    text = unicodedata.normalize("NFC", request)
    for pattern, plain in _PHRASES:
        text = pattern.sub(plain, text)
    text = _APOSTROPHE.sub("", _CLITIC.sub(" ", _IS.sub(r"\1 is", text)))
    read: list[Word] = []
    for token in _TOKEN.findall(text):
        typed = token.strip(".:-/+")
        if typed:
            key = _folded(typed)
            sort = _sort(key, read)
            read.append(Word(typed, key, sort, sort in DEEDS and key in _FORMS[Sort.ALONE]))
    return tuple(_in_their_places(read))


def _sort(key: str, before: Sequence[Word]) -> Sort:
    verb = next((sort for sort in _VERBS if _is_form(key, sort)), None)
    if verb is not None and (key in _FOREIGN_VERBS or _may_be_a_verb(before)):
        return verb
    other = next((sort for sort in _OTHERS if key in _FORMS[sort]), None)
    if other is not None:
        return other
    return Sort.FILLER if key in STOP_WORDS or (len(key) == 1 and key not in "cr") else Sort.NAME


def _is_form(key: str, verb: Sort) -> bool:
    forms = _FORMS[verb]
    if key in forms:
        return True
    return key.endswith("ing") and (key[:-3] in forms or f"{key[:-3]}e" in forms)


def _may_be_a_verb(before: Sequence[Word]) -> bool:
    """Whether a word behind these can be a verb: in `the test` and `login test` it is none."""
    if not before or before[-1].key in _BEFORE_VERBS:
        return True
    return before[-1].sort in (Sort.FILLER, Sort.HELP, Sort.QUESTION)


def _in_their_places(read: Sequence[Word]) -> Iterator[Word]:
    """Mend what only the next word tells: `this function`, and verbs that no list has."""
    previous: Sequence[Word] = ()
    for word, following in zip(read, (*read[1:], None), strict=True):
        ahead = following.sort if following is not None else None
        if word.sort is Sort.DETERMINER and word.key in _FORMS[Sort.POINTER]:
            if ahead not in _FOLLOW_POINTERS:
                word = replace(word, sort=Sort.POINTER)
        elif word.sort is Sort.NAME and ahead in (Sort.DETERMINER, Sort.POINTER):
            if _may_be_a_verb(previous) and word.key.isalpha():
                word = replace(word, sort=Sort.DEED)
        previous = (word,)
        yield word


def _folded(word: str) -> str:
    apart = unicodedata.normalize("NFD", word.lower().replace("ß", "ss"))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))
