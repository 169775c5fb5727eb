"""What ./tools/soak is made of."""
