"""The face for ears, fingers and slow lines: text from top to bottom, one thing a line.

The flow behind it is the screen's (`flow.tab_controller`); how it is put in lines is in `lines`.
"""
