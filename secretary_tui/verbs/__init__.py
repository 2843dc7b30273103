"""The verbs of the command line, one file each: call the rooms below, print."""
