"""The face in lines, for screen readers, Braille displays and slow terminals: one thing a line.

The flow behind it is the screen's (`flow.tab_controller`); how it is put in lines is in `lines`.
"""
