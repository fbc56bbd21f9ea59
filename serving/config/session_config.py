"""How TensorFlow's sessions compute: a ConfigProto from a file and the flags that go before it."""

from pathlib import Path

from serving.config.server_config import ServerConfig
from serving.config.text_protos import read_text_proto
from serving.messages import config_pb2


def session_config(config: ServerConfig) -> config_pb2.ConfigProto:
    """What every model's session is made with.

    Raises:
        StartError: tensorflow_session_config_file is not there or does not parse.
    """
    session = config_pb2.ConfigProto()
    if config.tensorflow_session_config_file:
        read_text_proto(Path(config.tensorflow_session_config_file), session)
    both = config.tensorflow_session_parallelism
    if threads := config.tensorflow_intra_op_parallelism or both:
        session.intra_op_parallelism_threads = threads
    if threads := config.tensorflow_inter_op_parallelism or both:
        session.inter_op_parallelism_threads = threads
    if config.per_process_gpu_memory_fraction:
        session.gpu_options.per_process_gpu_memory_fraction = config.per_process_gpu_memory_fraction
    if config.mixed_precision == "bfloat16":
        rewriting = session.graph_options.rewrite_options
        rewriting.auto_mixed_precision_onednn_bfloat16 = rewriting.ON
    return session
