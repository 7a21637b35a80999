"""ToolTalk's tools, one suite a file."""
