"""The words of a notice, by language. An unknown locale reads English."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Phrases:
    """One language."""

    language: str
    opened: str
    when: str
    where: str
    meets: str
    seen: str
    kept: str
    claim: str
    book: str
    why: str
    unsubscribe: str
    test_headline: str
    test_text: str
    verify_headline: str
    verify_text: str
    verify_button: str
    date_format: str = "%Y-%m-%d %H:%M"

    def moment(self, moment: datetime) -> str:
        """A date and time by its own wall clock, with the zone's name where it is known."""
        text = moment.strftime(self.date_format)
        return f"{text} {moment.tzname()}" if moment.tzinfo else text


ENGLISH = Phrases(
    language="en",
    opened="Open now: {title}",
    when="When",
    where="Where",
    meets="Meets",
    seen="Seen open",
    kept="Kept for you until",
    claim="Claim it",
    book="Book it",
    why="You get this because you asked to be told about {topic}.",
    unsubscribe="Unsubscribe",
    test_headline="Test notice from dibs",
    test_text="This is a test. Notices for your subscription will look like this.",
    verify_headline="Please confirm your subscription",
    verify_text="Somebody, hopefully you, asked to be told about {topic} at this address. "
    "If it was not you, do nothing.",
    verify_button="Confirm",
    date_format="%a %d %b %Y, %H:%M",
)
SPANISH = Phrases(
    language="es",
    opened="Disponible ahora: {title}",
    when="Cuándo",
    where="Dónde",
    meets="Horario",
    seen="Visto disponible",
    kept="Reservado para ti hasta",
    claim="Quedármelo",
    book="Reservar",
    why="Recibes este aviso porque pediste saber de {topic}.",
    unsubscribe="Cancelar la suscripción",
    test_headline="Aviso de prueba de dibs",
    test_text="Esto es una prueba. Los avisos de tu suscripción serán así.",
    verify_headline="Confirma tu suscripción",
    verify_text="Alguien, esperamos que tú, pidió avisos sobre {topic} en esta dirección. "
    "Si no fuiste tú, no hagas nada.",
    verify_button="Confirmar",
)
GERMAN = Phrases(
    language="de",
    opened="Jetzt frei: {title}",
    when="Wann",
    where="Wo",
    meets="Termine",
    seen="Frei gesehen",
    kept="Für Sie gehalten bis",
    claim="Nehmen",
    book="Buchen",
    why="Sie bekommen diese Nachricht, weil Sie über {topic} informiert werden wollten.",
    unsubscribe="Abbestellen",
    test_headline="Testnachricht von dibs",
    test_text="Dies ist ein Test. So sehen die Nachrichten Ihres Abonnements aus.",
    verify_headline="Bitte bestätigen Sie Ihr Abonnement",
    verify_text="Jemand, hoffentlich Sie, möchte an dieser Adresse über {topic} informiert werden. "
    "Wenn Sie es nicht waren, tun Sie nichts.",
    verify_button="Bestätigen",
)
FRENCH = Phrases(
    language="fr",
    opened="Disponible : {title}",
    when="Quand",
    where="Où",
    meets="Horaires",
    seen="Vu disponible",
    kept="Gardé pour vous jusqu’à",
    claim="Le prendre",
    book="Réserver",
    why="Vous recevez cet avis parce que vous avez demandé à suivre {topic}.",
    unsubscribe="Se désabonner",
    test_headline="Avis de test de dibs",
    test_text="Ceci est un test. Les avis de votre abonnement ressembleront à ceci.",
    verify_headline="Confirmez votre abonnement",
    verify_text="Quelqu'un, vous nous l'espérons, a demandé des avis sur {topic} à cette adresse. "
    "Si ce n'était pas vous, ne faites rien.",
    verify_button="Confirmer",
)
BY_LANGUAGE = {words.language: words for words in (ENGLISH, SPANISH, GERMAN, FRENCH)}


def phrases(locale: str) -> Phrases:
    """The words for a locale such as `de-AT`."""
    return BY_LANGUAGE.get(locale.split("-", maxsplit=1)[0].split("_", maxsplit=1)[0].lower(), ENGLISH)
