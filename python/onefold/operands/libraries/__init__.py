"""The kinds of input, a file for each library or interface; onefold/operands/kind.py says what each defines."""
