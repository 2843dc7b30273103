"""The face of lines: what the command line and `--plain` share.

How a question is put in lines and its answer read, how the events of a run become lines, and where
lines come from. With `spoken` lines are read aloud: words in place of signs and letters.
"""
