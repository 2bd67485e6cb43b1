"""Learning from touch. The modules here need torch: pip install 'taxel[learn]'."""
