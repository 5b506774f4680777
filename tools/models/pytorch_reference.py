"""SmolLM2 in PyTorch with the GGUF's own dequantised weights, float32."""

import torch
from transformers import AutoModelForCausalLM, LlamaForCausalLM

from gguf_weights import gguf_path


def load_reference() -> LlamaForCausalLM:
    path = gguf_path()
    model = AutoModelForCausalLM.from_pretrained(str(path.parent), gguf_file=path.name, dtype=torch.float32)
    return model.eval()
