"""How the `rules` model reads a request and the schemas of tools, without a language model."""
