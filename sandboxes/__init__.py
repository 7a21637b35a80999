"""Closed worlds: tasks, tools, state and the rules of grading."""
