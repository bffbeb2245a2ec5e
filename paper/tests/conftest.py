"""The fixtures of the command line's tests; plumbline hands the commands under test over to plumbline-paper."""

from cli.conftest import refused

__all__ = ["refused"]
