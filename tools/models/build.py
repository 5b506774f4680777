"""Builds public/models: `python tools/models/build.py`, then the fixtures of the scripts that it names at the end."""

import shutil

import manifest
import minilm
import smollm2
from paths import MINILM, REPOSITORY, SMOLLM2


def main() -> None:
    smollm2.build(SMOLLM2)
    minilm.build(MINILM)
    for folder in (SMOLLM2, MINILM):
        # The project and both models are under the same licence, Apache-2.0.
        shutil.copyfile(REPOSITORY / "LICENSE", folder / "LICENSE")
    manifest.write()
    print("built; fixtures: chat_template_fixture.py, residual_reference.py, minilm_reference.py; check: verify.py")


if __name__ == "__main__":
    main()
