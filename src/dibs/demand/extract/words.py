"""Words the rules need to know. English, as the communities are."""

# Restaurants do get called this; in lower case the word means itself.
_COMMON = """
about after again all also always any anyone around away back bad bar barn bars beach beer before
best better big black blue bread breakfast brunch burger burgers butcher butter cafe casual cheap
chef chicken city clean close club coffee cold common contact cook corner counter country dine diner
dining dinner dish district dive downtown drink drinks early east easy eat eats egg eggs even every
expensive family farm favorite fire fish food forever fork fresh friend friends fun garden general
gold good grand great green grill grilled grocery hall happy haven head heat here high home honest
honey hot house ice indoor inside island joint just kitchen lake large late layers legend light line
local lounge love lucky lunch main market meat menu midnight mine modern money moon more morning
name neighborhood new next nice night noble noodle noodles normal north note off office old olive
open other our out outside oven over park party pasta patio people pepper perfect picnic pizza place
plate plenty point pop popular press pub public quality queue quick rare real recipe red restaurant
review rice right river road roast room salad salt same sauce savory school sea seafood second
secret server service shop side simple slice slow small smoke snack social some sour south space
special spice spicy spot square star steak store story street sugar summer sun sunday super sure
sushi sweet table taco tacos take taste tea team thai then thing things time today together top town
treat truck true union upstairs us vegan village visit waiter walk warm water way week well west
white wine winter wood work world worth yard year yellow yes young
"""

# What stands in capitals, or first in a sentence, and is no restaurant.
_NOT_A_NAME = """
a agreed also america american an and april august bbq best but ca california chef chinese christmas
covid december deleted doordash downtown east easter edit ethiopian facebook february food french
friday good google great greek halloween happy he here hour how i id if im indian instagram it
italian ive january japanese july june just korean lol maps march may mex mexican midtown monday my
no north not november ny nyc october op or our reddit removed restaurant same saturday september she
so south spanish sunday tex texas thai thank thanks thanksgiving that the there these they this
those thursday tiktok tldr tuesday tx uber uk uptown us usa vietnamese we wednesday west what when
where who why yelp yes you your
"""

# What a sentence puts before or after a name: no part of it, unlike "Thai", "South" or "BBQ".
_AROUND_A_NAME = """
a an and but or so if also just yes no not i im ive id we they he she it you my your our this that these those there
here what where when who why how edit op monday tuesday wednesday thursday friday saturday sunday january february
march april may june july august september october november december thanks thank lol same agreed
"""

# What people write right before the name of a restaurant; "_" is a space.
_CUES = """
at to or and for from try tried love loved like miss visit visited named called
second recommend hit_up check_out
"""

COMMON_WORDS = frozenset(_COMMON.split())
NOT_A_NAME = frozenset(_NOT_A_NAME.split())
CUES = tuple(_CUES.split())
AROUND_A_NAME = frozenset(_AROUND_A_NAME.split())
