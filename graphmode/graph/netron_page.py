"""Shows the optimised graph in Netron, an optional package, on this machine only."""

import sys
from importlib import import_module

from graphmode.errors import GraphmodeError
from graphmode.graph.facts import GraphFacts

HOST = "127.0.0.1"


def serve_in_netron(facts: GraphFacts) -> None:
    """Serve Netron's page on a free port of 127.0.0.1 until Ctrl-C; its address goes to stdout.

    Raises:
        GraphmodeError: Netron is not installed.
    """
    try:
        netron = import_module("netron")
    except ImportError as error:
        raise GraphmodeError(
            "--netron needs the package netron: pip install -r requirements/view.txt, "
            "or pip install netron"
        ) from error
    # A bytearray is served as it is; of bytes Netron would make a model of ONNX's.
    host, port = netron.serve("optimised.pb", bytearray(facts.optimised), address=(HOST, 0))
    try:
        print(f"http://{host}:{port}", flush=True)
        print("the optimised graph, until Ctrl-C", file=sys.stderr)
        netron.wait()
    except KeyboardInterrupt:  # it came before netron waited for it
        netron.stop()
