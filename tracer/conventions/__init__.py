"""What other tracers call things, in our words: one file a convention."""
