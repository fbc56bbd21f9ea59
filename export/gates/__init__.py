"""What a form must pass before it is published.

Each gate says what it expected, what came and, where it failed, what to do.

    eager Keras model ------------- references --------------------------------------+
         |                                                                           v
    SavedModel --> python -m export.session_probe (a session, another process) --> verdicts
         |                                                                           ^
         +--> python -m export.fuzz (another process) ------------------------------+

The model runs in other processes: one that crashes a server must not take the export with it.
"""
