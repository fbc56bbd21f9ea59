"""The flags of TensorFlow Serving that have nothing to act on here, and why."""

from typing import NamedTuple


class InapplicableFlag(NamedTuple):
    """A flag that is taken, so that scripts keep working, and named in the log when given."""

    name: str
    default: bool | int | str
    """TensorFlow Serving's; giving it asks for nothing."""

    reason: str
    is_refused: bool = False
    """Without it the server would run with less than was asked for."""

    @property
    def kind(self) -> type:
        """The type of its values."""
        return type(self.default)


INAPPLICABLE = (
    InapplicableFlag(
        "use_alts_credentials",
        default=False,
        reason="ALTS works on Google's machines only; use --ssl_config_file",
        is_refused=True,
    ),
    InapplicableFlag(
        "platform_config_file",
        default="",
        reason="there is one platform, tensorflow; give its parts by "
        "--tensorflow_session_config_file, --batching_parameters_file and --saved_model_tags",
        is_refused=True,
    ),
    InapplicableFlag(
        "thread_pool_factory_config_file",
        default="",
        reason="threads are set by --tensorflow_intra_op_parallelism and "
        "--tensorflow_inter_op_parallelism",
    ),
    InapplicableFlag(
        "prefer_tflite_model",
        default=False,
        reason="TensorFlow Lite is not part of it; saved_model.pb is served",
    ),
    InapplicableFlag("num_tflite_pools", default=0, reason="TensorFlow Lite is not part of it"),
    InapplicableFlag(
        "num_tflite_interpreters_per_pool", default=1, reason="TensorFlow Lite is not part of it"
    ),
    InapplicableFlag(
        "enable_signature_method_name_check",
        default=False,
        reason="a signature's inputs and outputs are checked, not its method name",
    ),
    InapplicableFlag(
        "enable_profiler",
        default=True,
        reason="there is no profiler service; perf and py-spy attach",
    ),
    InapplicableFlag("skip_initialize_tpu", default=False, reason="there is no TPU to initialize"),
    InapplicableFlag(
        "flush_filesystem_caches",
        default=True,
        reason="TensorFlow keeps no caches of local files to flush",
    ),
    InapplicableFlag(
        "remove_unused_fields_from_bundle_metagraph",
        default=True,
        reason="of a MetaGraph only the signatures are ever kept",
    ),
)
