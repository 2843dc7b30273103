"""What the SDK gives tools: imported from here alone.

The SDK is imported in threads, whole by one that warms it up and by its parts here. Two that begin
at once would wait for each other, and Python then gives one of them half a module ("partially
initialized"): so its top comes first, always.
"""

from __future__ import annotations

import anthropic
from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, ToolError
from anthropic.lib.tools.agent_toolset import AgentToolContext, beta_glob_tool

__all__ = [
    "AgentToolContext",
    "BetaAsyncBuiltinFunctionTool",
    "ToolError",
    "anthropic",
    "beta_glob_tool",
]
