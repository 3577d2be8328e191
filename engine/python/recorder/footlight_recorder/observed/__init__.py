"""What is looked at while traces are made and served: state of the program that they freeze, and where arguments were made."""
