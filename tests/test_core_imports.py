"""Training, play and measuring import with the core dependencies alone."""

from __future__ import annotations

import subprocess
import sys


def test_the_core_needs_no_extras():
    probe = (
        "import sys, importlib, importlib.abc, pkgutil\n"
        "blocked = {'pettingzoo', 'gymnasium', 'flax', 'torch', 'pytest', 'hypothesis', 'chex', 'numba', 'fastapi'}\n"
        "class Block(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name.split('.')[0] in blocked: raise ImportError(f'{name} is not a core dependency')\n"
        "sys.meta_path.insert(0, Block())\n"
        "import coplay\n"
        "for package in ('worlds', 'agents', 'nets', 'rollouts', 'train', 'measure', 'data', 'report'):\n"
        "    root = importlib.import_module(f'coplay.{package}')\n"
        "    for module in pkgutil.walk_packages(root.__path__, f'coplay.{package}.'):\n"
        "        if 'fireflower' not in module.name: importlib.import_module(module.name)\n"
    )
    subprocess.run([sys.executable, "-c", probe], check=True)
