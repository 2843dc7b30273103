"""The screen in a browser: a server of web pages, and an app process for each tab."""
