"""What the browser loads: the style, the script and the browser halves of the components."""

from pathlib import Path

STATIC = Path(__file__).parent
