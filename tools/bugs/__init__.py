"""What ./tools/generated_bugs is made of."""
