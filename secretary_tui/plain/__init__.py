"""The face for ears, fingers and slow lines: text from top to bottom, one thing a line.

The flow behind it is the screen's (`flow.dispatch`); what is here says it and asks in lines.
"""
