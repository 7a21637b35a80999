"""The same request in other words, each variant behind gates that keep its meaning."""
