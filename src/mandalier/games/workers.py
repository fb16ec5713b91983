"""Worker processes that do not outlive the process they work for."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor


def end_with_parent() -> None:
    """End this process when its parent ends, be it by a kill. (A pool's workers hold each other's
    pipes open, so none of them would notice, and all would wait for work for ever.)"""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.join,), daemon=True).start()


def _follow(wait: Callable[[], None]) -> None:
    wait()
    os._exit(1)


def worker_pool(workers: int) -> ProcessPoolExecutor:
    """A pool of fresh processes that end with this one."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=end_with_parent)
