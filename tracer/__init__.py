"""The floor: what is noted, how it is kept, how it is read again."""
