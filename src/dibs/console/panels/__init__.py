"""Parts of the overview and of the health page: each draws itself and gives the function that brings it up to date."""
