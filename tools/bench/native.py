"""Times the same ONNX file in native onnxruntime, for `npm run bench -- --native PYTHON` (needs onnxruntime, numpy).

Prints one line of JSON: the version, and milliseconds for reading a prompt and for steps of one row and of many, under
the faster of the runtime's two ways with quantised weights (as 32-bit floats, or through its kernel for few bits).
"""

import argparse
import json
import time

import numpy
import onnxruntime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", help="path of the .onnx file")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--prompt", required=True, help="token ids, separated by commas")
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    options = parser.parse_args()
    prompt = numpy.array([[int(token) for token in options.prompt.split(",")]], dtype=numpy.int64)

    ways = [measure(options, prompt, folded) for folded in (True, False)]
    best = {phase: min(way[phase] for way in ways) for phase in ("prefill", "oneRow", "manyRows")}
    print(json.dumps({"version": onnxruntime.__version__, **best}))


def measure(options, prompt, folded):
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = options.threads
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    settings.log_severity_level = 3
    if folded:
        settings.add_session_config_entry("session.disable_quant_qdq", "1")
    session = onnxruntime.InferenceSession(options.graph, settings, providers=["CPUExecutionProvider"])
    timed_steps(session, prompt, options.rows, 2)
    prefill = timed(lambda: read(session, prompt))
    return {
        "prefill": prefill,
        "oneRow": timed_steps(session, prompt, 1, options.steps),
        "manyRows": timed_steps(session, prompt, options.rows, options.steps),
    }


def timed(work):
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def feeds_of(session, tokens, past):
    rows, size = tokens.shape
    start = 0 if past is None else next(iter(past.values())).shape()[2]
    feeds = {
        "input_ids": tokens,
        "attention_mask": numpy.ones((rows, start + size), dtype=numpy.int64),
        "position_ids": numpy.tile(numpy.arange(start, start + size, dtype=numpy.int64), (rows, 1)),
    }
    for entry in session.get_inputs():
        if entry.name.startswith("past_key_values"):
            if past is None:
                empty = numpy.zeros((rows, entry.shape[1], 0, entry.shape[3]), dtype=numpy.float32)
                feeds[entry.name] = onnxruntime.OrtValue.ortvalue_from_numpy(empty)
            else:
                feeds[entry.name] = past[entry.name]
        elif "logits_to_keep" in entry.name:
            feeds[entry.name] = numpy.array([1] if len(entry.shape) else 1, dtype=numpy.int64)
    return feeds


def run(session, tokens, past):
    """One pass; the cache stays where the runtime made it. Returns the likeliest tokens and the grown cache."""
    binding = session.io_binding()
    for name, value in feeds_of(session, tokens, past).items():
        if isinstance(value, onnxruntime.OrtValue):
            binding.bind_ortvalue_input(name, value)
        else:
            binding.bind_cpu_input(name, value)
    names = [output.name for output in session.get_outputs()]
    for name in names:
        binding.bind_output(name, "cpu")
    session.run_with_iobinding(binding)
    outputs = dict(zip(names, binding.get_outputs()))
    likeliest = outputs["logits"].numpy()[:, -1, :].argmax(axis=-1)
    cache = {
        name.replace("present", "past_key_values"): value
        for name, value in outputs.items()
        if name.startswith("present")
    }
    return likeliest, cache


def read(session, prompt):
    return run(session, prompt, None)


def timed_steps(session, prompt, rows, steps):
    tokens, past = read(session, numpy.tile(prompt, (rows, 1)))

    def work():
        nonlocal tokens, past
        for _ in range(steps):
            tokens, past = run(session, tokens[:, None], past)

    return timed(work)


if __name__ == "__main__":
    main()
