"""What kind of thing a word nobody knows yet may be. Pure, small, and only a guess: explicit terms win."""

from __future__ import annotations

from dibs.places.model import EntityType


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILLERS = _words("""
    a an and any are around at best by cheap close closest eat eatery eateries favorite favourite find food
    foods for from get good great here i in is local me my near nearby nearest of on open or our place places
    please restaurant restaurants show some spot spots that the there to top town where which with you your
    downtown city lunch dinner now today tonight serve serves serving have has
""")
FOODS = _words("""
    bagel banh baos barbacoa barbecue bbq birria biryani biscuit bisque boba bolognese borscht bread breakfast brunch
    brisket bruschetta bulgogi burger burrito cake calamari carbonara carnitas ceviche cheesecake cheesesteak chicken
    chili chilaquiles chowder churro cocktail coffee cookie crab crawfish crepe croissant cubano curry dessert
    donburi donut doughnut dosa dumpling empanada enchilada espresso falafel fajita fish focaccia fries gelato
    gnocchi gumbo gyoza gyro hamburger hotpot hummus jambalaya katsu kebab khao kimchi kolache korma lamb laksa
    lasagna latte lobster mac macaron margarita masala matcha meatball meze mimosa mochi mole momo muffin nachos
    naan noodle oyster paella pancake panini pasta pastrami pho pie pierogi pizza pizzas poke pork poutine
    pretzel pulao quesadilla queso quiche ramen ravioli rib ribs rice risotto salad salmon salsa samosa sandwich
    sashimi sausage schnitzel seafood shawarma shrimp smoothie soba soup souvlaki steak stew sushi taco tacos
    tamale tapas tart tempura tenders teriyaki tikka tiramisu tofu torta tuna udon waffle wing wings wonton wrap
""")
FOOD_ATTRIBUTES = _words("""
    spicy vegan vegetarian halal kosher organic crispy smoky smoked grilled fried keto dairyfree homemade
    handmade seasonal wagyu farmtotable sweet savory savoury gluten glutenfree pescatarian
""")
RESTAURANT_ATTRIBUTES = _words("""
    patio romantic rooftop cozy cosy quiet family kid kids dog dogs pet waterfront lively upscale casual fancy
    outdoor live music view views buffet takeout delivery drive late latenight
""")


MODIFIERS = _words("""
    american asian authentic beef black brazilian caribbean chicken chinese cuban deep dish egyptian ethiopian
    filipino french german greek hawaiian hot ice indian indonesian italian jamaican japanese korean lebanese
    louisiana malaysian mediterranean mexican milk moroccan nashville neapolitan persian peruvian polish
    portuguese red roast roasted russian sichuan southern spanish stuffed tex mex thai turkish vietnamese white
""")


def _singular(word: str) -> str:
    return word.removesuffix("es") if word.endswith(("ches", "shes")) else word.removesuffix("s")


def _is_of(word: str, *kinds: frozenset[str]) -> bool:
    return any(word in kind or _singular(word) in kind for kind in kinds)


def guess_type(term_key: str) -> EntityType:
    """The kind of an unknown term.

    Foods and attributes are a closed class; a restaurant's name is anything else, and often ends in a food
    ("Franklin Barbecue"), so every word has to be of the kind.
    """
    words = term_key.split()
    if all(_is_of(word, RESTAURANT_ATTRIBUTES) or word in {"friendly", "seating"} for word in words):
        return EntityType.RESTAURANT_ATTRIBUTE
    if all(_is_of(word, FOOD_ATTRIBUTES) or word == "free" for word in words):
        return EntityType.FOOD_ATTRIBUTE
    if all(_is_of(word, FOODS, FOOD_ATTRIBUTES, MODIFIERS) for word in words) and _is_of(words[-1], FOODS):
        return EntityType.FOOD
    return EntityType.RESTAURANT
