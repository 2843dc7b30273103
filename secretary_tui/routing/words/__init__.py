"""What a request says in words: terms, spelling, languages, traces, word vectors."""
