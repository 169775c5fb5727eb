"""What ./tools/generated_bugs and ./tools/mutants are made of."""
