"""The table server: everything between a browser (or a bot, or a script) and the rules."""
