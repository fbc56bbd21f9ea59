"""`tf-model-server` and `python -m serving`: the server on the command line."""

import sys

from serving.config.command_line import UsageError, parse_flags, usage
from serving.errors import StartError
from serving.server import Server, listen_log

CANNOT_START = 255  # the exit code of tensorflow_model_server, which scripts look for


def main() -> int:
    """Serve until told to stop; 0 after draining, 255 where the server cannot start."""
    arguments = sys.argv[1:]
    if any(argument in {"-h", "-help", "--help"} for argument in arguments):
        print(usage())
        return 0
    listen_log()
    try:
        server = Server(parse_flags(arguments))
    except StartError as error:
        if isinstance(error, UsageError):
            print(usage(), flush=True)
        print(error, file=sys.stderr)
        return CANNOT_START
    server.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
