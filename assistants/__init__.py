"""The reference e-mail assistants, their models and retrievers, and the run loop."""
