"""`python -m serving`: the server on the command line."""

import sys

from serving.config.server_config import parse_flags, usage
from serving.errors import StartError
from serving.server import Server, listen_log


def main() -> int:
    """Serve until told to stop; 0 after draining, 2 where the server cannot start."""
    arguments = sys.argv[1:]
    if any(argument in {"-h", "-help", "--help"} for argument in arguments):
        print(usage())
        return 0
    try:
        config = parse_flags(arguments)
        listen_log()
        server = Server(config)
    except StartError as error:
        print(error, file=sys.stderr)
        return 2
    server.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
