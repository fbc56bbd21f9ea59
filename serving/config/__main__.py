"""`python -m serving.config`: write the table of flags to docs/server-flags.md."""

from pathlib import Path

from serving.config.command_line import flags_as_markdown

if __name__ == "__main__":
    Path("docs/server-flags.md").write_text(flags_as_markdown())
