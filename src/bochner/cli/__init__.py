"""The command line: what Python users call, with a screen."""
