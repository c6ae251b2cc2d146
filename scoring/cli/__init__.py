"""The commands of ``infinitebench``, one module each, only loaded when asked for."""
