"""A notice as a mail: text and HTML from templates, and the headers that mail programs need."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from dibs.notify.message import details, headline, link
from dibs.notify.model import Message
from dibs.notify.phrases import Phrases, phrases

LONGEST_LINE = 998
"""What a line of a mail may have at most."""


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("dibs.notify.channels"),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def compose(message: Message, sender: str) -> EmailMessage:
    """The whole mail; the same Message-ID whenever the same notice is composed."""
    mail = EmailMessage(policy=SMTP)
    mail["From"] = sender
    mail["To"] = message.address
    mail["Subject"] = headline(message)
    mail["Date"] = format_datetime(message.sent_at)
    mail["Message-ID"] = message_id(message, sender)
    mail["List-Unsubscribe"] = f"<{message.unsubscribe_url}>"
    mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    mail["Auto-Submitted"] = "auto-generated"
    context = _context(message)
    mail.set_content(_templates().get_template("notice.txt.j2").render(context))
    mail.add_alternative(_templates().get_template("notice.html.j2").render(context), subtype="html")
    # Set last: whoever sets the content removes the headers about it.
    mail["Content-Language"] = phrases(message.locale).language
    return mail


def as_sent(mail: EmailMessage) -> bytes:
    """The mail on the wire. A link in a header stays whole: folded it would be encoded, and nobody could follow it."""
    return mail.as_bytes(policy=SMTP.clone(max_line_length=LONGEST_LINE))


def message_id(message: Message, sender: str) -> str:
    domain = sender.rpartition("@")[2].strip("> ") or "dibs.invalid"
    return f"<{message.idempotency_key}@{domain}>"


def _context(message: Message) -> dict[str, object]:
    words = phrases(message.locale)
    text = {
        "opening": None,
        "test": words.test_text,
        "verification": words.verify_text.format(topic=message.topic),
    }[message.kind]
    button_url = message.verify_url if message.kind == "verification" else link(message)
    return {
        "language": words.language,
        "headline": headline(message),
        "text": text,
        "details": [] if message.kind == "verification" else details(message),
        "button_url": button_url,
        "button": _button(message, words),
        "why": words.why.format(topic=message.topic),
        "unsubscribe": words.unsubscribe,
        "unsubscribe_url": message.unsubscribe_url,
    }


def _button(message: Message, words: Phrases) -> str:
    if message.kind == "verification":
        return words.verify_button
    return words.claim if message.event.payload.get("claim_url") else words.book
