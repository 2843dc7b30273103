"""What is indexed of a library, and the arithmetic over it."""
