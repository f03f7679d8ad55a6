"""The building blocks of every page; a page is made of these and of nothing else.

    card("Title")            a box with a heading                 (with-block)
    grid(), wide_grid()      boxes side by side                   (with-block)
    row(), stack()           small things side by side, or below each other (with-block)
    stat(label, value)       one number that matters; `.show(value, hint, tone)` changes it
    Table(columns, rows)     search, sort, empty state, actions; `.show(rows)` changes it
    LiveList(label, empty)   newest on top, arriving without a reload; `.show(items)`
    line_chart, bar_chart    a picture with a sentence that says the same; `.show(…)`
    badge(status)            a state by colour, sign and word
    moment(at)               a time in the reader's own zone, the zone on hover
    choice, switch, text_field, number_field, date_field, area   form fields (native controls)
    button(text, act)        runs `act`; busy meanwhile; a `DibsError` is told to the person
    confirm(question)        `if await confirm(…)`
    notice(tone, title, text), problem(error), tell(text)
    facts([(name, value)])   names and values of one thing
    el(tag, text, …)         any HTML element; the text and the attributes are escaped

Texts from providers and people may be passed anywhere: they are always put in as text. Never pass them to
`.props("…")`, whose string is parsed, nor to `ui.html`.
"""

from dibs.console.components.badge import Tone, badge, badge_of, cell_badge, cell_status, sign_of
from dibs.console.components.button import button, link_button
from dibs.console.components.chart import Chart, Series, bar_chart, line_chart
from dibs.console.components.dialog import confirm, tell
from dibs.console.components.element import el, icon, safe_link
from dibs.console.components.field import (
    Choice,
    Field,
    area,
    choice,
    date_field,
    number_field,
    switch,
    text_field,
    time_field,
)
from dibs.console.components.layout import card, facts, grid, heading, hint, row, stack, wide_grid
from dibs.console.components.live_list import Fact, Item, LiveList
from dibs.console.components.notice import Empty, empty_state, notice, problem
from dibs.console.components.stat import Stat, stat
from dibs.console.components.table import (
    Action,
    Column,
    Table,
    cell_code,
    cell_link,
    cell_meter,
    cell_spark,
    cell_time,
    cell_two,
)
from dibs.console.components.time import countdown, iso, moment

__all__ = [
    "Action",
    "Chart",
    "Choice",
    "Column",
    "Empty",
    "Fact",
    "Field",
    "Item",
    "LiveList",
    "Series",
    "Stat",
    "Table",
    "Tone",
    "area",
    "badge",
    "badge_of",
    "bar_chart",
    "button",
    "card",
    "cell_badge",
    "cell_code",
    "cell_link",
    "cell_meter",
    "cell_spark",
    "cell_status",
    "cell_time",
    "cell_two",
    "choice",
    "confirm",
    "countdown",
    "date_field",
    "el",
    "empty_state",
    "facts",
    "grid",
    "heading",
    "hint",
    "icon",
    "iso",
    "line_chart",
    "link_button",
    "moment",
    "notice",
    "number_field",
    "problem",
    "row",
    "safe_link",
    "sign_of",
    "stack",
    "stat",
    "switch",
    "tell",
    "text_field",
    "time_field",
    "wide_grid",
]
