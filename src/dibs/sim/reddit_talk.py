"""How people talk on a city's food community: for the simulator, the demo and the benchmark."""

import random
from itertools import product

_FIRST = """
Golden Blue Lucky Old Little Big Red Green Silver Copper Iron Salty Sweet Smoky Crispy Happy Hungry
Lazy Rusty Dusty Wild Quiet Royal Humble Honest Velvet Crooked Broken Hidden Secret Painted Twisted
Spotted Black White Maria's Tony's Jo's Sam's Rosa's Linh's Kim's Bao's Pepe's Luigi's Chen's
Amira's Torchy's Franklin's Matt's Hopdoddy Uncle Auntie Papa Mama Captain Doña El La Los Las Café
San Santa Saint Via Casa Chez Trattoria Osteria Izakaya
"""
_MIDDLE = """
Lantern Dragon Rooster Goat Bull Pig Crab Oyster Salmon Fox Owl Heron Pelican Turtle Bear Wolf
Anchor Barrel Bottle Ladle Skillet Kettle Hearth Ember Oak Cedar Willow Maple Juniper Saffron Pepper
Basil Fennel Ginger Sesame Lotus Orchid Magnolia River Harbor Canyon Mesa Prairie Bayou Delta Summit
Hollow Mill Station Depot Garage Parlor
"""
_LAST = """
Kitchen Grill Tavern Noodle_House Ramen_Bar Taqueria BBQ Smokehouse Diner Cantina Bistro Pho Sushi
Pizzeria Bakery Café Deli Steakhouse Chophouse Izakaya Kitchen_&_Bar Oyster_Bar Taco_Stand
Burger_Joint Dumpling_House Wine_Bar Coffee Brewing_Co. Public_House Food_Truck Fish_Market Creamery
Curry_House Tea_Room
"""
_FOODS = """
ramen tacos brisket pho pizza burger sushi dumplings fried_chicken breakfast_tacos pad_thai birria
croissant bagel oysters gumbo crawfish queso kolache banh_mi soup_dumplings mapo_tofu carbonara
cacio_e_pepe tonkatsu udon spicy vegan gluten_free dog_friendly patio cheap late_night cozy romantic
kid_friendly
"""
_SENTENCES = """
Honestly I think {n} is still the best in town, their {f} is unreal. | We went to {n} last Friday and
waited about forty minutes for a table, which was fine because the patio is nice. | Does anyone know a
place that does decent {f} and isn't crazy expensive? Coming from out of town next week. | I used to
work in a kitchen around there and the turnover was wild, but the food held up for years. | Not gonna
lie, the service has gone downhill since they changed owners and I probably won't be back anytime soon.
| If you're driving in from the north side, park behind the library, because the lot fills up by six
every single night. | My wife is allergic to shellfish and they were super careful about it, so that's a
huge plus for us. | Second this! The line moves fast and the staff is friendly. Get the {f} before it
sells out. | It's fine I guess? A bit overhyped in my opinion, and thirty bucks for a small plate is
hard to justify these days. | My order at {n} is always the {f}, with a cold beer on the side. | If {n}
is too busy just walk over to {n}, it is two doors down. | I've lived here for twelve years and I have
never seen a wait under an hour on weekends, so plan accordingly. | Hot take: most of these places are
coasting on what they were in 2015, and nobody wants to say it out loud. | Their website says they close
at nine, though last time I showed up at eight thirty and they had already locked up. | Thanks for all
the suggestions everyone, I'll report back after the trip and let you know what we ended up trying. |
For a birthday with eight people I would call ahead, most spots around here don't take large groups
without a deposit. | You can get almost the same thing at the farmers market on Saturday mornings,
cheaper too, if you get up early enough. | There was a thread about this a couple of weeks ago with a
lot of good answers, worth searching for it. | Can't believe nobody mentioned {n} yet… the {f} there
changed my life. | I don't eat meat and still had plenty of options, though the menu doesn’t really show
it. | Anybody been lately? Wondering if it is worth the drive after the renovation or whether I should
just stay downtown. | The owner came out and talked to us for ten minutes about where they buy their
flour, which was kind of charming.
"""

FOODS = tuple(word.replace("_", " ") for word in _FOODS.split())
SENTENCES = tuple(" ".join(sentence.split()) for sentence in _SENTENCES.split("|"))


def known_names(rng: random.Random, count: int) -> list[str]:
    every = [
        f"{first} {middle} {last.replace('_', ' ')}"
        for first, middle, last in product(_FIRST.split(), _MIDDLE.split(), _LAST.split())
    ]
    rng.shuffle(every)
    return every[:count]


def _filled(rng: random.Random, text: str, names: list[str]) -> str:
    while "{n}" in text:
        name = rng.choice(names)
        text = text.replace("{n}", name.lower() if rng.random() < 0.3 else name, 1)
    while "{f}" in text:
        text = text.replace("{f}", rng.choice(FOODS), 1)
    return text + (" 😋" if rng.random() < 0.03 else "")


def say_something(rng: random.Random, names: list[str]) -> str:
    sentences = rng.choices(SENTENCES, k=rng.choice([1, 1, 2, 2, 3, 4, 6, 10]))
    text = " ".join(sentences) if rng.random() < 0.8 else "\n\n".join(sentences)
    return _filled(rng, text, names)


def reddit_like(rng: random.Random, names: list[str], megabytes: float) -> list[str]:
    texts: list[str] = []
    size = 0
    while size < megabytes * 1e6:
        texts.append(say_something(rng, names))
        size += len(texts[-1])
    return texts
